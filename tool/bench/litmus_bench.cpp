#include "tool/bench/litmus_bench.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

namespace heddle::bench {
namespace {

using litmus::Condition;
using litmus::LitmusTest;

void add_rows(const std::vector<Condition>& conditions, Verdict expected, const Explored& explored,
              LitmusResult& result) {
  for (const Condition& condition : conditions) {
    LitmusRow row;
    row.expected = expected;
    row.outcome = condition.text;
    row.outcome.erase(0, row.outcome.find_first_not_of(' '));
    row.outcome.erase(row.outcome.find_last_not_of(' ') + 1);
    row.reason = condition.reason;
    for (const auto& [outcome, first] : explored.outcomes) {
      if (condition.holds(outcome)) row.first_shown = std::min(first, row.first_shown.value_or(first));
    }
    result.rows.push_back(std::move(row));
  }
}

LitmusResult run_one(const LitmusTest& test, const run::Target& interpreter, const ExploreOptions& options) {
  LitmusResult result;
  result.name = test.program.name;
  result.shape = test.shape;
  ExploreOptions bounded = options;
  if (!options.executions && litmus::interleavings(test.program) > kMostInterleavings) {
    std::strncpy(bounded.spec.strategy, "random", sizeof bounded.spec.strategy);
    bounded.executions = kSampledExecutions;
  }
  const auto explored = explore_program(with_program(interpreter, test.program), test.program, bounded);
  if (!explored) {
    result.error = explored.error().message;
    return result;
  }
  result.executions = explored->executions;
  result.outcomes = explored->outcomes.size();
  result.exhausted = explored->exhausted;
  add_rows(test.allowed, Verdict::kAllowed, *explored, result);
  add_rows(test.forbidden, Verdict::kForbidden, *explored, result);
  add_rows(test.limits, Verdict::kLimit, *explored, result);
  return result;
}

// Hands results on in the order of the tests, as soon as all before them are there.
class InOrder {
 public:
  InOrder(std::size_t count, const std::function<void(const LitmusResult&)>& on_result)
      : results_(count), arrived_(count), on_result_(on_result) {}

  void put(std::size_t index, LitmusResult result) {
    const std::lock_guard lock(mutex_);
    results_[index] = std::move(result);
    arrived_[index] = true;
    for (; next_ < results_.size() && arrived_[next_]; ++next_) on_result_(results_[next_]);
  }
  std::vector<LitmusResult> take() { return std::move(results_); }

 private:
  std::mutex mutex_;
  std::vector<LitmusResult> results_;
  std::vector<bool> arrived_;
  std::size_t next_ = 0;
  const std::function<void(const LitmusResult&)>& on_result_;
};

}  // namespace

const char* name_of(Verdict verdict) {
  constexpr const char* kNames[] = {"allowed", "forbidden", "limit"};
  return kNames[static_cast<int>(verdict)];
}

bool LitmusResult::agrees() const {
  return error.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const LitmusRow& row) { return row.agrees(); });
}

std::vector<LitmusResult> run_litmus(const std::vector<LitmusTest>& tests, const run::Target& interpreter,
                                     const ExploreOptions& options, unsigned jobs,
                                     const std::function<void(const LitmusResult&)>& on_result) {
  InOrder results(tests.size(), on_result);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < tests.size(); i = next++) {
      results.put(i, run_one(tests[i], interpreter, options));
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < jobs; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  return results.take();
}

std::vector<LitmusTest> select_tests(std::vector<LitmusTest> tests, const std::vector<std::string>& words) {
  if (words.empty()) return tests;
  std::erase_if(tests, [&](const LitmusTest& test) {
    return std::none_of(words.begin(), words.end(), [&](const std::string& word) {
      return test.program.name.find(word) != std::string::npos || test.shape == word;
    });
  });
  return tests;
}

}  // namespace heddle::bench
