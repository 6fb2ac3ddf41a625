#include "tool/linearize/localize.h"

#include <algorithm>
#include <utility>

namespace heddle::linearize {
namespace {

using lin::Client;

// One operation of a client: which list, and where in it.
struct Place {
  std::size_t list;  // 0: before; i + 1: thread i; last: after
  std::size_t index;
};

lin::Steps& list_of(Client& client, std::size_t list) {
  if (list == 0) return client.first;
  return list <= client.threads.size() ? client.threads[list - 1] : client.last;
}

Client without(Client client, std::size_t list, std::size_t begin, std::size_t count) {
  lin::Steps& steps = list_of(client, list);
  const auto first = steps.begin() + static_cast<std::ptrdiff_t>(begin);
  steps.erase(first, first + static_cast<std::ptrdiff_t>(count));
  return client;
}

void drop_idle_threads(Client& client) {
  client.threads.erase(std::remove_if(client.threads.begin(), client.threads.end(),
                                      [](const lin::Steps& steps) { return steps.empty(); }),
                       client.threads.end());
}

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
    for (std::size_t kept = kFew; kept < order_.size(); kept *= 8) {
      if (find_concurrent_part(kept, Effort::kQuick)) return true;
    }
    return find_concurrent_part(order_.size(), Effort::kQuick) ||
           find_concurrent_part(order_.size(), Effort::kThorough);
  }

  bool find_concurrent_part(std::size_t kept, Effort effort) {
    std::size_t alone = 0;  // what main does before anybody else is never at the same time as anything
    while (alone < order_.size() && history_.operations[order_[alone]].thread == 0) ++alone;
    std::size_t before = order_.size();
    for (std::size_t step = 1;; step = order_.size() - before < 8 ? 1 : step * 2) {
      in_front_ = before;
      left_out_ = before > kept ? before - kept : 0;
      if (try_client(split_at(before, nullptr), effort)) return true;
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
    for (std::size_t kept = 2; kept + 1 <= rest.size(); ++kept) {
      const std::vector<OperationIndex> concurrent(rest.begin(),
                                                   rest.begin() + static_cast<std::ptrdiff_t>(kept));
      if (try_client(split_at(in_front_, &concurrent), Effort::kQuick)) return;
    }
  }

  bool in_front(OperationIndex operation) const {
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(in_front_);
    return std::find(order_.begin(), end, operation) != end;
  }

  // Ps: the first `before` operations of the witness. Pc: of the rest those of `concurrent`, or all that were
  // done by threads. Pr: what is left.
  Client split_at(std::size_t before, const std::vector<OperationIndex>* concurrent) const {
    Client client;
    client.threads.resize(history_.client.threads.size());
    const auto is_concurrent = [&](OperationIndex i) {
      if (history_.operations[i].thread == 0) return false;
      return concurrent == nullptr ||
             std::find(concurrent->begin(), concurrent->end(), i) != concurrent->end();
    };
    std::vector<bool> placed(history_.operations.size(), false);
    for (std::size_t i = 0; i < before; ++i) {
      if (i >= left_out_) client.first.push_back(history_.operations[order_[i]].step);
      placed[order_[i]] = true;
    }
    for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
      if (!history_.in_prefix(i) || placed[i] || !is_concurrent(i)) continue;
      client.threads[history_.operations[i].thread - 1].push_back(history_.operations[i].step);
      placed[i] = true;
    }
    for (const OperationIndex i : order_) {
      if (placed[i]) continue;
      client.last.push_back(history_.operations[i].step);
      placed[i] = true;
    }
    for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
      if (history_.in_prefix(i) && !placed[i]) client.last.push_back(history_.operations[i].step);
    }
    return client;
  }

  // The recorded schedule: who was chosen. Of the first history only as far as it concerns operations that
  // are still done by threads. What loads read is left to the strategy: the stores have other names now.
  std::vector<Choice> schedule() const {
    std::vector<std::uint64_t> serialized(history_.client.threads.size() + 1, 0);
    for (std::size_t i = 0; i < in_front_ && !best_; ++i) {
      const ObservedOperation& operation = history_.operations[order_[i]];
      if (operation.thread == 0 || operation.thread >= serialized.size()) continue;
      std::uint64_t& until = serialized[operation.thread];
      until = std::max(until, operation.choices_at_return);
    }
    const std::vector<Choice>& choices = best_ ? best_->trace.choices : found_.trace.choices;
    std::vector<Choice> result;
    for (std::size_t at = 0; at < choices.size(); ++at) {
      if (choices[at].kind() != ChoiceKind::kThread) continue;
      const std::uint32_t thread = index_of(choices[at].picked().as_thread());
      if (thread >= serialized.size() || at >= serialized[thread]) result.push_back(choices[at]);
    }
    return result;
  }

  bool try_client(Client client, Effort effort) {
    if (concurrent_operations(client) == 0) return false;
    ++checks_;
    auto violated = check_(client, schedule(), effort);
    if (!violated) return false;
    drop_idle_threads(client);
    client_ = std::move(client);
    best_ = std::move(violated);
    return true;
  }

  // Takes away what is not needed, from all three parts, until nothing can go. Definition 2 is about the
  // operations of Pc: these are tried thoroughly.
  void shrink() {
    do {
      while (cut_after_violation() || shrink_concurrent(Effort::kQuick) || shrink_around()) {
      }
    } while (shrink_concurrent(Effort::kThorough));
  }

  bool shrink_around() { return shrink_list(0) || shrink_list(client_.threads.size() + 1); }

  // What came after the violation is not needed.
  bool cut_after_violation() {
    const ObservedHistory& history = best_->history;
    Client client = client_;
    for (std::size_t list = 1; list <= client.threads.size() + 1; ++list) {
      const bool last = list > client.threads.size();
      std::size_t needed = 0;
      for (OperationIndex i = 0; i < history.operations.size(); ++i) {
        const std::uint32_t thread = history.operations[i].thread;
        if (history.in_prefix(i) && (last ? thread == 0 : thread == list)) ++needed;
      }
      if (last) needed -= std::min(needed, client.first.size());
      lin::Steps& steps = list_of(client, list);
      if (needed < steps.size()) steps.resize(needed);
    }
    return client.text() != client_.text() && try_client(std::move(client), Effort::kQuick);
  }

  bool shrink_concurrent(Effort effort) {
    for (std::size_t thread = client_.threads.size(); thread >= 1; --thread) {
      if (effort == Effort::kQuick && shrink_list(thread)) return true;
      for (std::size_t i = client_.threads[thread - 1].size(); i-- > 0 && effort == Effort::kThorough;) {
        if (try_client(without(client_, thread, i, 1), effort)) return true;
      }
      if (do_alone(thread, effort)) return true;
    }
    return false;
  }

  // The one-operation-thread heuristic (III.C): in most minimum test cases a thread does a single operation.
  // What it does before that can be done before all others, and what it does after that, after them. Then
  // one operation at a time.
  bool do_alone(std::size_t thread, Effort effort) {
    const lin::Steps steps = client_.threads[thread - 1];
    for (std::size_t kept = 0; kept < steps.size() && steps.size() > 2; ++kept) {
      if (try_client(with_alone(thread, kept, steps.size() - kept - 1), effort)) return true;
    }
    if (steps.size() < 2) return false;
    return try_client(with_alone(thread, 1, 0), effort) || try_client(with_alone(thread, 0, 1), effort);
  }

  // The first and the last operations of a thread become ones of Ps and of Pr.
  Client with_alone(std::size_t thread, std::size_t before, std::size_t after) const {
    Client client = client_;
    lin::Steps& steps = client.threads[thread - 1];
    const auto first = steps.begin() + static_cast<std::ptrdiff_t>(before);
    const auto last = steps.end() - static_cast<std::ptrdiff_t>(after);
    client.first.insert(client.first.end(), steps.begin(), first);
    client.last.insert(client.last.begin(), last, steps.end());
    steps = lin::Steps(first, last);
    return client;
  }

  // In halves, quarters and so on: a long history has a long beginning, of which little matters.
  bool shrink_list(std::size_t list) {
    const std::size_t size = list_of(client_, list).size();
    for (std::size_t chunk = size; chunk >= 1; chunk /= 2) {
      for (std::size_t begin = 0; begin + chunk <= size; begin += chunk) {
        if (try_client(without(client_, list, begin, chunk), Effort::kQuick)) return true;
      }
    }
    return false;
  }

  const Violated& found_;
  const ObservedHistory& history_;
  const CheckClient& check_;
  const std::vector<OperationIndex>& order_;
  std::size_t in_front_ = 0;  // of the witness: Ps
  std::size_t left_out_ = 0;  // the first of them, which nobody does
  Client client_;             // of best_
  std::optional<Violated> best_;
  std::uint64_t checks_ = 0;
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
