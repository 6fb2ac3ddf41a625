#include "tool/constraints/switches.h"

#include <algorithm>

#include "tool/constraints/simulate.h"

namespace heddle::constraints {
namespace {

class Reducer {
 public:
  Reducer(const SymbolicTrace& trace, const Execution& failing, Model model)
      : s_(trace, Structure::Goal::kFail), simulation_(s_), current_(failing), model_(model) {}

  FewerSwitches run() {
    FewerSwitches result;
    result.before = switches(current_.order);
    for (;;) {
      const std::uint32_t old = switches(current_.order);
      for (std::size_t i = 0; i < current_.order.size(); ++i) attempt(move_up(i));
      for (std::size_t i = current_.order.size(); i-- > 0;) attempt(move_down(i));
      if (old <= switches(current_.order)) break;
    }
    // What reads read is another now, though the failure is the same.
    if (model_ == Model::kSequential && simulation_.run(current_.order).feasible)
      current_.sources.assign(simulation_.sources().begin(), simulation_.sources().end());
    result.after = switches(current_.order);
    result.execution = current_;
    result.simulations = simulation_.executions();
    return result;
  }

 private:
  // How many times the thread changes.
  std::uint32_t switches(const std::vector<ActionId>& order) const {
    std::uint32_t count = 0;
    for (std::size_t i = 1; i < order.size(); ++i)
      count += s_.thread_index(order[i]) != s_.thread_index(order[i - 1]) ? 1 : 0;
    return count;
  }
  std::uint32_t thread_at(std::size_t i) const { return s_.thread_index(current_.order[i]); }

  // The next segment of the thread goes to the end of the segment that `i` ends; empty: `i` is no end, or
  // there is none.
  std::vector<ActionId> move_up(std::size_t i) const {
    const std::vector<ActionId>& order = current_.order;
    if (i + 1 >= order.size() || thread_at(i + 1) == thread_at(i)) return {};
    std::size_t begin = i + 1;
    while (begin < order.size() && thread_at(begin) != thread_at(i)) ++begin;
    std::size_t end = begin;
    while (end < order.size() && thread_at(end) == thread_at(i)) ++end;
    return begin == order.size() ? std::vector<ActionId>{} : rotated(i + 1, begin, end);
  }

  // The segment before goes to the beginning of the segment that `i` begins.
  std::vector<ActionId> move_down(std::size_t i) const {
    if (i == 0 || thread_at(i - 1) == thread_at(i)) return {};
    std::size_t end = i;
    while (end > 0 && thread_at(end - 1) != thread_at(i)) --end;
    if (end == 0) return {};
    std::size_t begin = end;
    while (begin > 0 && thread_at(begin - 1) == thread_at(i)) --begin;
    return rotated(begin, end, i);
  }

  std::vector<ActionId> rotated(std::size_t begin, std::size_t middle, std::size_t end) const {
    std::vector<ActionId> result = current_.order;
    const auto at = [&](std::size_t i) { return result.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(begin), at(middle), at(end));
    return result;
  }

  void attempt(std::vector<ActionId> order) {
    if (order.empty() || switches(order) > switches(current_.order)) return;
    Execution candidate{std::move(order), current_.sources, current_.modification};
    const Verdict verdict =
        model_ == Model::kSequential ? simulation_.run(candidate.order) : simulation_.run(candidate);
    if (verdict.feasible && verdict.fails) current_ = std::move(candidate);
  }

  Structure s_;
  Simulation simulation_;
  Execution current_;
  Model model_;
};

}  // namespace

FewerSwitches reduce_switches(const SymbolicTrace& trace, const Execution& failing, Model model) {
  return Reducer(trace, failing, model).run();
}

}  // namespace heddle::constraints
