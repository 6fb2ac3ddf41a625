#include "tool/cause/interruptions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/footprint.h"
#include "tool/cause/remedy_places.h"
#include "tool/trace/stack_view.h"

namespace heddle::cause {
namespace {

using Positions = std::vector<std::uint32_t>;  // in Trace::events

// Three accesses of one variable, two of which are the interrupted thread's, that no order of whole steps has (Lu, Tucek,
// Qin and Zhou, ASPLOS 2006, Table 1). What was looked at and then changed is lost or out of date: that comes first.
enum class Pattern : std::uint8_t {
  kStaleWrite,       // read, written by another, written
  kChangedRead,      // read, written by another, read
  kLostOrDirty,      // written, written by another, read; written, read by another, written
  kSeveralVariables  // a circle by way of several variables
};

std::optional<Pattern> pattern_of(const TraceEvent& first, const Footprint& by_first,
                                  const Footprint& between, const TraceEvent& last,
                                  const Footprint& by_last) {
  // An update reads and writes.
  const bool reads_first = reads_memory(first.kind) || !by_first.writes;
  const bool reads_last = reads_memory(last.kind) || !by_last.writes;
  if (between.writes && reads_first && by_last.writes) return Pattern::kStaleWrite;
  if (between.writes && reads_first && reads_last) return Pattern::kChangedRead;
  if (between.writes && by_first.writes && reads_last) return Pattern::kLostOrDirty;
  if (by_first.writes && by_last.writes) return Pattern::kLostOrDirty;
  return std::nullopt;
}

// The function of the user's that is on both stacks, and where it does the one and the other.
struct Parted {
  std::size_t depth = 0;  // functions of the user's around it
  Frame from, to;
};

Parted function_of_both(const Trace& trace, const TraceEvent& first, const TraceEvent& last) {
  const std::vector<Frame> a = visible_frames(trace, first.pc, first.stack);
  const std::vector<Frame> b = visible_frames(trace, last.pc, last.stack);
  Parted parted;
  for (std::size_t common = 0; common < std::min(a.size(), b.size()); ++common) {
    const Frame &of_a = a[a.size() - 1 - common], &of_b = b[b.size() - 1 - common];
    if (of_a.function != of_b.function || of_a.file != of_b.file) break;
    if (is_own_code(of_a)) {
      ++parted.depth;
      parted.from = of_a;
      parted.to = of_b;
    }
    if (of_a.line != of_b.line) break;
  }
  return parted;
}

// Told by the lines, or, on one line, by what the thread did first of all.
bool is_carried(const Parted& parted, std::uint32_t first_occurred, std::uint32_t last_occurred) {
  if (parted.from.line != parted.to.line) return parted.from.line > parted.to.line;
  return last_occurred <= first_occurred;
}

struct Found {
  Interruption what;
  Pattern pattern = Pattern::kSeveralVariables;
  double jump = 0;  // of the curve, within it
  std::size_t depth = 0;
  std::size_t span = 0;
  std::uint32_t at = 0;

  auto rank() const {
    // A jump of less says little, and of two that say something the larger one need not be the cause.
    constexpr double kDecides = 0.2;
    const bool is_of_one = pattern == Pattern::kStaleWrite || pattern == Pattern::kChangedRead;
    return std::tuple(jump < kDecides, !is_of_one, ~depth, pattern, span, ~at);
  }
};

class Finder {
 public:
  Finder(const Trace& trace, const FailureCurve& curve)
      : trace_(trace), curve_(curve), footprints_(footprints_of(trace)) {
    std::map<ThreadId, std::size_t> turns;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
      const TraceEvent& event = trace.events[i];
      of_thread_[event.thread].push_back(i);
      position_[event.id] = i;
      first_at_.try_emplace({event.thread, event.pc, event.stack}, i);
      turns_until_.push_back(turns[event.thread] += takes_turn(event) ? 1 : 0);
    }
  }

  std::vector<Interruption> find() {
    for_each_gap([&](const Positions& own, std::size_t k) { look_at(own, k); });
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Found& a, const Found& b) { return a.rank() < b.rank(); });
    std::vector<Interruption> result;
    for (Found& one : found_) result.push_back(std::move(one.what));
    return result;
  }

  std::vector<Interruption> find_plain() {
    std::vector<std::pair<std::uint32_t, Interruption>> gaps;
    for_each_gap([&](const Positions& own, std::size_t k) {
      Interruption gap;
      add_turns(own, k, gap);
      if (!gap.before.empty() && !gap.after.empty()) gaps.emplace_back(own[k], std::move(gap));
    });
    std::stable_sort(gaps.begin(), gaps.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Interruption> result;
    for (auto& [at, gap] : gaps) result.push_back(std::move(gap));
    return result;
  }

 private:
  static constexpr std::size_t kReach = 48, kTurns = 12;

  template <typename Do>
  void for_each_gap(Do&& act) const {
    for (const auto& [thread, own] : of_thread_) {
      for (std::size_t k = 1; k < own.size(); ++k) {
        if (own[k] != own[k - 1] + 1) act(own, k);
      }
    }
  }

  void add_turns(const Positions& own, std::size_t k, Interruption& gap) const {
    for (std::size_t i = k; i-- > 0 && gap.before.size() < kTurns;) {
      if (takes_turn(trace_.events[own[i]])) gap.before.push_back(&trace_.events[own[i]]);
    }
    for (std::size_t i = k; i < own.size() && gap.after.size() < kTurns; ++i) {
      if (takes_turn(trace_.events[own[i]])) gap.after.push_back(&trace_.events[own[i]]);
    }
  }

  // The own accesses around the gap that conflict with this one of another thread. Of each kind the nearest.
  Positions conflicting(const Positions& own, std::size_t from, std::size_t to, bool backwards,
                        std::uint32_t with) const {
    Positions result;
    bool has_read = false, has_write = false;
    for (std::size_t n = 0; n < to - from && !(has_read && has_write); ++n) {
      const std::uint32_t at = own[backwards ? to - 1 - n : from + n];
      if (footprints_[at].is_none() || !footprints_[at].conflicts(footprints_[with])) continue;
      bool& known = footprints_[at].writes ? has_write : has_read;
      if (!known) result.push_back(at);
      known = true;
    }
    return result;
  }

  void look_at(const Positions& own, std::size_t k) {
    const std::size_t from = k > kReach ? k - kReach : 0, to = std::min(own.size(), k + kReach);
    std::map<std::uint32_t, std::uint32_t> first_by;  // own first access → who came after it
    for (std::uint32_t other = own[k - 1] + 1; other < own[k]; ++other) {
      if (footprints_[other].is_none()) continue;
      const Positions befores = conflicting(own, from, k, true, other);
      for (const std::uint32_t before : befores) first_by.try_emplace(before, other);
      const Positions afters = conflicting(own, k, to, false, other);
      for (const std::uint32_t before : befores) {
        for (const std::uint32_t after : afters) {
          const auto pattern = pattern_of(trace_.events[before], footprints_[before], footprints_[other],
                                          trace_.events[after], footprints_[after]);
          if (pattern && footprints_[before].overlaps(footprints_[after]))
            add(own, k, before, other, after, *pattern);
        }
      }
      // What comes after one of them, and before something else of the thread's.
      for (const auto& [before, by] : first_by) {
        for (const std::uint32_t after : afters) {
          const std::uint32_t between = footprints_[by].writes ? by : other;
          add(own, k, before, between, after, Pattern::kSeveralVariables);
        }
      }
    }
  }

  void add(const Positions& own, std::size_t k, std::uint32_t before, std::uint32_t other,
           std::uint32_t after, Pattern pattern) {
    const TraceEvent &first = trace_.events[before], &last = trace_.events[after];
    Found found;
    found.pattern = pattern;
    found.at = own[k];
    found.jump = jump_within(own[k - 1], own[k]);
    found.span = turns_until_[after] - turns_until_[before];
    const std::size_t known = known_at(first, last);
    if (known == kRefused) return;
    if (known != kNone) {
      const Found& other_one = found_[known];
      found.depth = other_one.depth;
      if (!(found.rank() < other_one.rank())) return;
      found.what.from = other_one.what.from;
      found.what.to = other_one.what.to;
    } else {
      const Parted parted = function_of_both(trace_, first, last);
      found.depth = parted.depth;
      found.what.from = parted.from;
      found.what.to = parted.to;
      const auto occurred = [&](const TraceEvent& e) { return first_at_.at({e.thread, e.pc, e.stack}); };
      if (is_carried(parted, occurred(first), occurred(last))) {
        by_stacks_[key_of(first, last)] = kRefused;
        return;
      }
    }
    found.what.first = &first;
    found.what.last = &last;
    found.what.between = &trace_.events[other];
    add_turns(own, k, found.what);
    if (found.what.before.empty()) return;
    if (known != kNone) {
      found_[known] = std::move(found);
      return;
    }
    by_stacks_[key_of(first, last)] = found_.size();
    by_places_.emplace_back(place_of(trace_, first), place_of(trace_, last));
    found_.push_back(std::move(found));
  }

  // What was found between the same two places; kNone: nothing yet, kRefused: nothing that counts.
  static constexpr std::size_t kNone = ~std::size_t{0}, kRefused = kNone - 1;
  std::size_t known_at(const TraceEvent& first, const TraceEvent& last) {
    const auto [at, is_new] = by_stacks_.try_emplace(key_of(first, last), kNone);
    if (!is_new) return at->second;
    const std::pair places{place_of(trace_, first), place_of(trace_, last)};
    for (std::size_t i = 0; i < by_places_.size(); ++i) {
      if (by_places_[i].first == places.first && by_places_[i].second == places.second) at->second = i;
    }
    return at->second;
  }

  // The largest jump of the curve at an event between the two.
  double jump_within(std::uint32_t from, std::uint32_t to) const {
    double largest = 0;
    for (const CurveJump& jump : curve_.jumps) {
      const auto found = position_.find(jump.event);
      if (found != position_.end() && found->second > from && found->second <= to)
        largest = std::max(largest, jump.to - jump.from);
    }
    return largest;
  }

  const Trace& trace_;
  const FailureCurve& curve_;
  std::vector<Footprint> footprints_;
  std::map<ThreadId, Positions> of_thread_;
  std::map<EventId, std::uint32_t> position_;
  std::vector<std::size_t> turns_until_;  // by position: turns that its thread had had then
  std::map<std::tuple<ThreadId, std::uint64_t, StackId>, std::uint32_t> first_at_;
  std::vector<Found> found_;
  std::vector<std::pair<CodePlace, CodePlace>> by_places_;  // of these
  using Key = std::tuple<std::uint64_t, StackId, std::uint64_t, StackId>;
  static Key key_of(const TraceEvent& first, const TraceEvent& last) {
    return {first.pc, first.stack, last.pc, last.stack};
  }
  std::map<Key, std::size_t> by_stacks_;  // → found_, kNone, kRefused
};

}  // namespace

std::vector<Interruption> interruptions(const Trace& trace, const FailureCurve& curve) {
  return Finder(trace, curve).find();
}

bool is_carried_by_loop(const Trace& trace, const TraceEvent& first, const TraceEvent& last) {
  const auto occurred = [&](const TraceEvent& like) {
    const auto found = std::find_if(trace.events.begin(), trace.events.end(), [&](const TraceEvent& e) {
      return e.thread == like.thread && e.pc == like.pc && e.stack == like.stack;
    });
    return static_cast<std::uint32_t>(found - trace.events.begin());
  };
  return is_carried(function_of_both(trace, first, last), occurred(first), occurred(last));
}

std::vector<Interruption> plain_gaps(const Trace& trace) { return Finder(trace, {}).find_plain(); }

}  // namespace heddle::cause
