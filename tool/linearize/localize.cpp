#include "tool/linearize/localize.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace heddle::linearize {
namespace {

using lin::Client;

constexpr OperationIndex kNoOperation = std::numeric_limits<OperationIndex>::max();

// An operation of a test case, and which one of the history it is that the test case comes from.
struct Tagged {
  lin::Step step;
  OperationIndex was = kNoOperation;
};
using Lane = std::vector<Tagged>;

struct Draft {
  Lane first;
  std::vector<Lane> threads;
  std::vector<std::uint32_t> thread_was;  // in the history
  Lane last;

  Lane& lane(std::size_t list) {  // 0: before; i + 1: thread i; the one after these: after
    if (list == 0) return first;
    return list <= threads.size() ? threads[list - 1] : last;
  }
  void drop_idle_threads() {
    for (std::size_t i = threads.size(); i-- > 0;) {
      if (!threads[i].empty()) continue;
      threads.erase(threads.begin() + static_cast<std::ptrdiff_t>(i));
      thread_was.erase(thread_was.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  Client client() const {
    Client client;
    client.first = steps_of(first);
    for (const Lane& thread : threads) client.threads.push_back(steps_of(thread));
    client.last = steps_of(last);
    return client;
  }

 private:
  static lin::Steps steps_of(const Lane& lane) {
    lin::Steps steps;
    for (const Tagged& tagged : lane) steps.push_back(tagged.step);
    return steps;
  }
};

// The client of a history, each operation of its threads with its index there. Operations that failed, as
// they may, and those after the violation are not in the history.
Draft draft_of(const ObservedHistory& history) {
  Draft draft;
  const auto lane_of = [](const lin::Steps& steps) {
    Lane lane;
    for (const lin::Step& step : steps) lane.push_back({step});
    return lane;
  };
  draft.first = lane_of(history.client.first);
  draft.last = lane_of(history.client.last);
  for (std::uint32_t thread = 1; thread <= history.client.threads.size(); ++thread) {
    Lane lane = lane_of(history.client.threads[thread - 1]);
    std::size_t at = 0;
    for (OperationIndex i = 0; i < history.operations.size() && at < lane.size(); ++i) {
      if (history.operations[i].thread != thread) continue;
      const std::string wanted = lin::text_of(history.operations[i].step);
      while (at < lane.size() && lin::text_of(lane[at].step) != wanted) ++at;
      if (at < lane.size()) lane[at++].was = i;
    }
    draft.threads.push_back(std::move(lane));
    draft.thread_was.push_back(thread);
  }
  return draft;
}

// The recorded schedule, as far as it concerns what the test case still does: whose turn it was, without the
// turns of operations that are not done by threads any more. What loads read is left to the strategy: the
// stores have other names now.
std::vector<Choice> schedule_for(const Draft& draft, const Violated& base) {
  const std::vector<ObservedOperation>& operations = base.history.operations;
  std::vector<bool> kept(operations.size(), false);
  std::size_t most = 0;
  for (const Lane& lane : draft.threads) {
    for (const Tagged& tagged : lane) {
      if (tagged.was != kNoOperation) kept[tagged.was] = true;
    }
  }
  for (const ObservedOperation& operation : operations) most = std::max<std::size_t>(most, operation.thread);
  struct Turns {
    std::uint32_t now = 0;                   // the thread's number in the test case; 0: not in it
    std::vector<OperationIndex> operations;  // one after the other
    std::size_t at = 0;
  };
  std::vector<Turns> threads(std::max(most, base.history.client.threads.size()) + 1);
  for (std::uint32_t i = 0; i < draft.thread_was.size(); ++i) threads[draft.thread_was[i]].now = i + 1;
  for (OperationIndex i = 0; i < operations.size(); ++i)
    threads[operations[i].thread].operations.push_back(i);

  std::vector<Choice> schedule;
  for (std::size_t at = 0; at < base.trace.choices.size(); ++at) {
    const Choice choice = base.trace.choices[at];
    if (choice.kind() != ChoiceKind::kThread) continue;
    const std::uint32_t thread = index_of(choice.picked().as_thread());
    if (thread == 0 || thread >= threads.size()) {
      schedule.push_back(choice);
      continue;
    }
    Turns& turns = threads[thread];
    if (turns.now == 0) continue;
    while (turns.at < turns.operations.size() &&
           operations[turns.operations[turns.at]].choices_at_return <= at)
      ++turns.at;
    if (turns.at < turns.operations.size()) {
      const OperationIndex operation = turns.operations[turns.at];
      // The turn with which an operation begins is the choice before its call. What a thread does between two
      // of them (it meets the others) is not done in a test case.
      const bool is_its_own = operations[operation].choices_at_call <= at + 1;
      if (is_its_own ? !kept[operation] : turns.at != 0) continue;
    }
    schedule.push_back(Choice::make(ChoiceKind::kThread, 0,
                                    ChoiceKey::thread(ThreadId{static_cast<std::uint16_t>(turns.now)})));
  }
  return schedule;
}

// Whether all operations of a client can return: each that waits for another finds one that was not waited
// for. What threads do at the same time is taken together.
class Supply {
 public:
  explicit Supply(const std::map<std::string, std::string>& needs) : needs_(needs) {}

  bool suffices(const Client& client) {
    if (needs_.empty()) return true;
    for (const lin::Step& step : client.first) {
      take(step);
      if (is_short()) return false;
    }
    for (const lin::Steps& steps : client.threads) {
      for (const lin::Step& step : steps) take(step);
    }
    if (is_short()) return false;
    for (const lin::Step& step : client.last) {
      take(step);
      if (is_short()) return false;
    }
    return true;
  }

 private:
  void take(const lin::Step& step) {
    if (const auto need = needs_.find(step.method); need != needs_.end()) --spare_[need->second];
    ++spare_[step.method];
  }
  bool is_short() const {
    return std::any_of(needs_.begin(), needs_.end(), [&](const auto& need) {
      const auto spare = spare_.find(need.second);
      return spare != spare_.end() && spare->second < 0;
    });
  }

  const std::map<std::string, std::string>& needs_;
  std::map<std::string, std::ptrdiff_t> spare_;
};

class Localizer {
 public:
  Localizer(const Violated& found, const CheckClient& check)
      : found_(found), history_(found.history), check_(check), order_(history_.order) {}

  std::optional<Localized> run() {
    if (!find_concurrent_part()) return std::nullopt;
    find_revealing_part();
    shrink();
    Localized result;
    result.violated = std::move(*best_);
    result.checks = checks_;
    result.proved = proved_;
    const ObservedHistory& history = result.violated.history;
    result.revealed_later = history.operations[history.violating].thread == 0;
    return result;
  }

 private:
  // Step 1 (lines 4-10): the longest part of the witness that can be done before, so that the rest still
  // shows the fault. Far back the steps double: whatever is too much is taken away in the end. Of a long
  // history the beginning rarely matters, and each execution would do it again: little of it is tried first.
  bool find_concurrent_part() {
    constexpr std::size_t kFew = 8;
    for (const Effort effort : {Effort::kGuided, Effort::kQuick}) {
      for (std::size_t kept = kFew; kept < order_.size(); kept *= 8) {
        if (find_concurrent_part(kept, effort)) return true;
      }
      if (find_concurrent_part(order_.size(), effort)) return true;
    }
    return find_concurrent_part(order_.size(), Effort::kThorough);
  }

  bool find_concurrent_part(std::size_t kept, Effort effort) {
    std::size_t alone = 0;  // what main does before anybody else is never at the same time as anything
    while (alone < order_.size() && history_.operations[order_[alone]].thread == 0) ++alone;
    std::size_t before = order_.size();
    for (std::size_t step = 1;; step = order_.size() - before < 8 ? 1 : step * 2) {
      in_front_ = before;
      left_out_ = before > kept ? before - kept : 0;
      if (try_draft(split_at(before, nullptr), effort)) return true;
      // No more at the same time than before.
      if (before <= alone || order_.size() - before > 2 * kept) return false;
      before = before > alone + step ? before - step : alone;
    }
  }

  // Step 2 (lines 11-17): as few of these operations as can be stay at the same time; the others come after
  // them, in the order of the witness, and the one that cannot be placed at the end.
  void find_revealing_part() {
    std::vector<OperationIndex> rest;
    for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
      if (history_.in_prefix(i) && !in_front(i) && history_.operations[i].thread != 0) rest.push_back(i);
    }
    for (const Effort effort : {Effort::kGuided, Effort::kQuick}) {
      for (std::size_t kept = 2; kept + 1 <= rest.size(); ++kept) {
        const std::vector<OperationIndex> concurrent(rest.begin(),
                                                     rest.begin() + static_cast<std::ptrdiff_t>(kept));
        if (try_draft(split_at(in_front_, &concurrent), effort, found_)) return;
        if (kept >= kMostTriedQuickly && effort == Effort::kQuick) return;
      }
    }
  }

  bool in_front(OperationIndex operation) const {
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(in_front_);
    return std::find(order_.begin(), end, operation) != end;
  }

  // Ps: the first `before` operations of the witness. Pc: of the rest those of `concurrent`, or all that were
  // done by threads. Pr: what is left.
  Draft split_at(std::size_t before, const std::vector<OperationIndex>* concurrent) const {
    Draft draft;
    draft.threads.resize(history_.client.threads.size());
    for (std::uint32_t i = 1; i <= draft.threads.size(); ++i) draft.thread_was.push_back(i);
    const auto is_concurrent = [&](OperationIndex i) {
      if (history_.operations[i].thread == 0) return false;
      return concurrent == nullptr ||
             std::find(concurrent->begin(), concurrent->end(), i) != concurrent->end();
    };
    std::vector<bool> placed(history_.operations.size(), false);
    const auto place = [&](Lane& lane, OperationIndex i) {
      lane.push_back({history_.operations[i].step, i});
      placed[i] = true;
    };
    for (std::size_t i = 0; i < before; ++i) {
      if (i >= left_out_)
        place(draft.first, order_[i]);
      else
        placed[order_[i]] = true;
    }
    for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
      if (!history_.in_prefix(i) || placed[i] || !is_concurrent(i)) continue;
      place(draft.threads[history_.operations[i].thread - 1], i);
    }
    for (const OperationIndex i : order_) {
      if (!placed[i]) place(draft.last, i);
    }
    for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
      if (history_.in_prefix(i) && !placed[i]) place(draft.last, i);
    }
    return draft;
  }

  bool try_draft(Draft draft, Effort effort) {
    return try_draft(std::move(draft), effort, best_ ? *best_ : found_);
  }

  // `base`: the execution that the draft comes from.
  bool try_draft(Draft draft, Effort effort, const Violated& base) {
    draft.drop_idle_threads();
    if (draft.threads.empty()) return false;
    const Client client = draft.client();
    if (!Supply(history_.needs).suffices(client)) return false;
    Tried& tried = tried_[client.text()];
    if (tried.complete || tried.thorough || (tried.quick && effort != Effort::kThorough)) return false;
    ++checks_;
    Checked checked = check_(client, schedule_for(draft, base), effort);
    if (!checked.violated) {
      tried = {effort != Effort::kGuided, effort == Effort::kThorough, checked.complete};
      return false;
    }
    best_ = std::move(checked.violated);
    draft_ = draft_of(best_->history);
    return true;
  }

  // Takes away what is not needed, from all three parts, until nothing can go. Definition 2 is about the
  // operations of Pc: these are tried thoroughly.
  void shrink() {
    do {
      for (const Effort effort : {Effort::kGuided, Effort::kQuick}) {
        while (cut_after_violation(effort) || shrink_concurrent(effort) || shrink_list(0, effort) ||
               shrink_list(draft_.threads.size() + 1, effort)) {
        }
      }
    } while (!is_minimum());
  }

  // What came after the violation is not needed.
  bool cut_after_violation(Effort effort) {
    Draft draft = draft_;
    for (Lane& lane : draft.threads)
      std::erase_if(lane, [](const Tagged& tagged) { return tagged.was == kNoOperation; });
    const ObservedHistory& history = best_->history;
    std::size_t alone = 0;
    for (OperationIndex i = 0; i < history.operations.size(); ++i) {
      if (history.operations[i].thread == 0 && history.in_prefix(i)) ++alone;
    }
    const std::size_t needed = alone - std::min(alone, draft.first.size());
    if (needed < draft.last.size()) draft.last.resize(needed);
    return draft.client().text() != draft_.client().text() && try_draft(std::move(draft), effort);
  }

  bool shrink_concurrent(Effort effort) {
    for (std::size_t thread = draft_.threads.size(); thread >= 1; --thread) {
      if (shrink_list(thread, effort) || do_alone(thread, effort)) return true;
    }
    return false;
  }

  // Definition 2. False: something could be left out, and was.
  bool is_minimum() {
    proved_ = true;
    for (std::size_t thread = draft_.threads.size(); thread >= 1; --thread) {
      for (std::size_t i = draft_.threads[thread - 1].size(); i-- > 0;) {
        Draft draft = without(thread, i, 1);
        if (try_draft(draft, Effort::kThorough)) return false;
        draft.drop_idle_threads();
        const auto tried = tried_.find(draft.client().text());
        // A client that waits for ever proves nothing.
        const bool runs = !draft.threads.empty() && Supply(history_.needs).suffices(draft.client());
        proved_ = proved_ && (!runs || (tried != tried_.end() && tried->second.complete));
      }
    }
    return true;
  }

  // The one-operation-thread heuristic (III.C): in most minimum test cases a thread does a single operation.
  // What it does before that can be done before all others, and what it does after that, after them. Then
  // one operation at a time.
  bool do_alone(std::size_t thread, Effort effort) {
    const std::size_t size = draft_.threads[thread - 1].size();
    for (std::size_t kept = 0; kept < size && size > 2; ++kept) {
      if (try_draft(with_alone(thread, kept, size - kept - 1), effort)) return true;
    }
    if (size < 2) return false;
    return try_draft(with_alone(thread, 1, 0), effort) || try_draft(with_alone(thread, 0, 1), effort);
  }

  // The first and the last operations of a thread become ones of Ps and of Pr.
  Draft with_alone(std::size_t thread, std::size_t before, std::size_t after) const {
    Draft draft = draft_;
    Lane& lane = draft.threads[thread - 1];
    const auto first = lane.begin() + static_cast<std::ptrdiff_t>(before);
    const auto last = lane.end() - static_cast<std::ptrdiff_t>(after);
    draft.first.insert(draft.first.end(), lane.begin(), first);
    draft.last.insert(draft.last.begin(), last, lane.end());
    lane = Lane(first, last);
    return draft;
  }

  Draft without(std::size_t list, std::size_t begin, std::size_t count) const {
    Draft draft = draft_;
    Lane& lane = draft.lane(list);
    const auto first = lane.begin() + static_cast<std::ptrdiff_t>(begin);
    lane.erase(first, first + static_cast<std::ptrdiff_t>(count));
    return draft;
  }

  // In halves, quarters and so on: a long history has a long beginning, of which little matters.
  bool shrink_list(std::size_t list, Effort effort) {
    bool any = false;
    const std::size_t threads = draft_.threads.size();
    for (std::size_t chunk = draft_.lane(list).size(); chunk >= 1; chunk /= 2) {
      for (std::size_t begin = 0; begin + chunk <= draft_.lane(list).size();) {
        if (!try_draft(without(list, begin, chunk), effort)) {
          begin += chunk;
          continue;
        }
        any = true;
        if (draft_.threads.size() != threads) return true;  // lists have other numbers now
      }
    }
    return any;
  }

  static constexpr std::size_t kMostTriedQuickly =
      8;  // of a part at the same time, which is cut later anyway

  // What is known of a test case that was found correct.
  struct Tried {
    bool quick = false;
    bool thorough = false;
    bool complete = false;
  };

  const Violated& found_;
  const ObservedHistory& history_;
  const CheckClient& check_;
  const std::vector<OperationIndex>& order_;
  std::size_t in_front_ = 0;  // of the witness: Ps
  std::size_t left_out_ = 0;  // the first of them, which nobody does
  std::optional<Violated> best_;
  Draft draft_;  // the client of best_
  std::map<std::string, Tried> tried_;
  std::uint64_t checks_ = 0;
  bool proved_ = false;
};

}  // namespace

std::size_t concurrent_operations(const Client& client) {
  std::size_t count = 0;
  for (const lin::Steps& steps : client.threads) count += steps.size();
  return count;
}

std::optional<Localized> localize(const Violated& found, const CheckClient& check) {
  return Localizer(found, check).run();
}

}  // namespace heddle::linearize
