#include "tool/cause/projection.h"

#include <algorithm>
#include <unordered_map>

namespace heddle::cause {
namespace {

std::uint64_t key_of(const Step& step) { return std::uint64_t{index_of(step.thread)} << 32 | step.ordinal; }

bool same_action(const Step& a, const Step& b) {
  return a.variable == b.variable && a.reads == b.reads && a.writes == b.writes;
}

// Which step of one execution is which of the other, as far as the paths of the threads are the same.
struct Correspondence {
  std::vector<std::uint32_t> of_failing, of_alternate;  // place in the other span, or kNoStep
  std::vector<std::pair<std::uint32_t, std::uint32_t>> partings;

  Correspondence(std::span<const Step> failing, std::span<const Step> alternate)
      : of_failing(failing.size(), kNoStep), of_alternate(alternate.size(), kNoStep) {
    std::unordered_map<std::uint64_t, std::uint32_t> places;
    for (std::uint32_t i = 0; i < alternate.size(); ++i) places.emplace(key_of(alternate[i]), i);
    std::unordered_map<std::uint32_t, bool> parted;
    for (std::uint32_t i = 0; i < failing.size(); ++i) {
      const auto found = places.find(key_of(failing[i]));
      bool& has_parted = parted[index_of(failing[i].thread)];
      if (found == places.end() || has_parted) continue;
      if (!same_action(failing[i], alternate[found->second])) {
        has_parted = true;
        partings.emplace_back(i, found->second);
        continue;
      }
      of_failing[i] = found->second;
      of_alternate[found->second] = i;
    }
  }
};

// The extreme places so far, among all steps or among those that a step depends on.
class Extremes {
 public:
  Extremes(OrderRule rule, std::uint32_t start) : rule_(rule), every_(start), start_(start) {}

  template <typename Pick>
  std::uint32_t take(const Step& step, std::uint32_t place, Pick pick) {
    if (rule_ == OrderRule::kEveryPair) {
      const std::uint32_t before = every_;
      every_ = pick(every_, place);
      return before;
    }
    if (step.variable == 0) return start_;
    PerVariable& own = variables_.try_emplace(step.variable, PerVariable{start_, start_}).first->second;
    const std::uint32_t before = step.writes ? own.any : own.writes;
    own.any = pick(own.any, place);
    if (step.writes) own.writes = pick(own.writes, place);
    return before;
  }

 private:
  struct PerVariable {
    std::uint32_t any, writes;
  };
  OrderRule rule_;
  std::uint32_t every_, start_;
  std::unordered_map<std::uint32_t, PerVariable> variables_;
};

constexpr std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return std::min(a, b); }
constexpr std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return std::max(a, b); }

// A step is in a pair of different orders if something before it here comes later there, or the reverse.
void keep_reordered(std::span<const Step> failing, const Correspondence& same, OrderRule rule,
                    Projection& result) {
  const auto keep = [&](std::uint32_t i) { result.failing[i] = result.alternate[same.of_failing[i]] = true; };
  Extremes latest(rule, 0), earliest(rule, kNoStep);
  for (std::uint32_t i = 0; i < failing.size(); ++i) {
    const std::uint32_t there = same.of_failing[i];
    if (there != kNoStep && latest.take(failing[i], there + 1, larger) > there + 1) keep(i);
  }
  for (auto i = static_cast<std::uint32_t>(failing.size()); i-- > 0;) {
    const std::uint32_t there = same.of_failing[i];
    if (there != kNoStep && earliest.take(failing[i], there, smaller) < there) keep(i);
  }
}

}  // namespace

Projection projection(std::span<const Step> failing, std::span<const Step> alternate, OrderRule rule) {
  const Correspondence same(failing, alternate);
  Projection result{std::vector<bool>(failing.size()), std::vector<bool>(alternate.size()), {}, {}};

  const auto keep_failing = [&](std::uint32_t i) {
    if (i == kNoStep) return;
    result.failing[i] = true;
    if (same.of_failing[i] != kNoStep) result.alternate[same.of_failing[i]] = true;
  };
  const auto keep_alternate = [&](std::uint32_t i) {
    if (i == kNoStep) return;
    result.alternate[i] = true;
    if (same.of_alternate[i] != kNoStep) result.failing[same.of_alternate[i]] = true;
  };

  keep_reordered(failing, same, rule, result);
  result.partings = same.partings;
  for (const auto& [here, there] : same.partings) {
    result.failing[here] = true;
    result.alternate[there] = true;
  }
  for (std::uint32_t i = 0; i < failing.size(); ++i) {
    const std::uint32_t there = same.of_failing[i];
    if (!failing[i].reads || there == kNoStep) continue;
    const std::uint32_t source = failing[i].source;
    const std::uint32_t other = alternate[there].source;
    const bool equal =
        source == kNoStep ? other == kNoStep : same.of_failing[source] == other && other != kNoStep;
    if (equal) continue;
    result.flows.push_back({i, source, there, other});
    keep_failing(i);
    keep_failing(source);
    keep_alternate(other);
  }
  return result;
}

namespace {

// Steps of one thread in one of the executions.
std::vector<std::vector<std::uint32_t>> by_thread(std::span<const Step> steps) {
  std::vector<std::vector<std::uint32_t>> threads;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const std::size_t thread = index_of(steps[i].thread);
    if (threads.size() <= thread) threads.resize(thread + 1);
    threads[thread].push_back(i);
  }
  return threads;
}

// Where each thread first does what the other one does not. Who merely ends sooner has not left the path.
void add_partings(std::span<const Step> failing, std::span<const Step> alternate,
                  const std::vector<std::uint32_t>& of_failing,
                  const std::vector<std::uint32_t>& of_alternate, Projection& result) {
  const auto here = by_thread(failing), there = by_thread(alternate);
  for (std::size_t t = 0; t < here.size() && t < there.size(); ++t) {
    const auto first_alone = [](const std::vector<std::uint32_t>& own,
                                const std::vector<std::uint32_t>& other) {
      for (const std::uint32_t i : own) {
        if (other[i] == kNoStep) return i;
      }
      return kNoStep;
    };
    const std::uint32_t f = first_alone(here[t], of_failing), a = first_alone(there[t], of_alternate);
    const auto goes_on = [](const std::vector<std::uint32_t>& own, std::uint32_t from,
                            const std::vector<std::uint32_t>& other) {
      return std::any_of(own.begin(), own.end(),
                         [&](std::uint32_t i) { return i > from && other[i] != kNoStep; });
    };
    const bool left = (f != kNoStep && a != kNoStep) || (f != kNoStep && goes_on(here[t], f, of_failing)) ||
                      (a != kNoStep && goes_on(there[t], a, of_alternate));
    if (!left) continue;
    result.partings.emplace_back(f, a);
    if (f != kNoStep) result.failing[f] = true;
    if (a != kNoStep) result.alternate[a] = true;
  }
}

}  // namespace

Projection path_projection(std::span<const Step> failing, std::span<const Step> alternate) {
  // Steps correspond by their ordinals alone: align() gave those that only one execution has numbers of their
  // own.
  std::vector<std::uint32_t> of_failing(failing.size(), kNoStep), of_alternate(alternate.size(), kNoStep);
  std::unordered_map<std::uint64_t, std::uint32_t> places;
  for (std::uint32_t i = 0; i < alternate.size(); ++i) places.emplace(key_of(alternate[i]), i);
  for (std::uint32_t i = 0; i < failing.size(); ++i) {
    const auto found = places.find(key_of(failing[i]));
    if (found == places.end() || !same_action(failing[i], alternate[found->second])) continue;
    of_failing[i] = found->second;
    of_alternate[found->second] = i;
  }
  Projection result{std::vector<bool>(failing.size()), std::vector<bool>(alternate.size()), {}, {}};
  add_partings(failing, alternate, of_failing, of_alternate, result);
  // Beyond the end of a thread's counterpart nothing differs that could be compared.
  const auto last_common = [](std::span<const Step> steps, const std::vector<std::uint32_t>& other) {
    std::unordered_map<std::uint32_t, std::uint32_t> last;
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      if (other[i] != kNoStep) last[index_of(steps[i].thread)] = i;
    }
    return last;
  };
  const auto last_alternate = last_common(alternate, of_alternate);
  const auto is_beyond = [](const auto& last, const Step& step, std::uint32_t at) {
    const auto found = last.find(index_of(step.thread));
    return found == last.end() || at > found->second;
  };
  const auto same_source = [](std::uint32_t source, std::uint32_t other,
                              const std::vector<std::uint32_t>& of) {
    return source == kNoStep ? other == kNoStep : other != kNoStep && of[source] == other;
  };
  for (std::uint32_t i = 0; i < failing.size(); ++i) {
    if (!failing[i].reads) continue;
    const std::uint32_t there = of_failing[i];
    if (there != kNoStep && same_source(failing[i].source, alternate[there].source, of_failing)) continue;
    // What a step of one path reads that was there at first, or that its own thread wrote, is no flow of
    // interest.
    const bool alone = there == kNoStep;
    const std::uint32_t source = failing[i].source;
    if (alone && (source == kNoStep || failing[source].thread == failing[i].thread)) continue;
    result.flows.push_back({i, source, there, alone ? kNoStep : alternate[there].source});
    result.failing[i] = true;
    if (source != kNoStep) result.failing[source] = true;
    if (alone) continue;
    result.alternate[there] = true;
    if (alternate[there].source != kNoStep) result.alternate[alternate[there].source] = true;
  }
  for (std::uint32_t i = 0; i < alternate.size(); ++i) {
    if (!alternate[i].reads || of_alternate[i] != kNoStep || is_beyond(last_alternate, alternate[i], i))
      continue;
    const std::uint32_t source = alternate[i].source;
    if (source == kNoStep || alternate[source].thread == alternate[i].thread) continue;
    result.flows.push_back({kNoStep, kNoStep, i, source});
    result.alternate[i] = result.alternate[source] = true;
  }
  return result;
}

}  // namespace heddle::cause
