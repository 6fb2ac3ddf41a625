#include "tool/bench/speed_cases.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::bench {
namespace {

constexpr double kAtomicLimit = 2, kMutexLimit = 1, kPlainLimit = 1.2;
constexpr const char* kMillion = "1000000";

void add_atomics(std::vector<OperationCase>& cases) {
  for (const char* threads : {"2", "4"}) {
    for (const char* locations : {"1", "16"}) {
      for (const char* operation : {"load", "store", "update", "mixed"}) {
        for (const char* order : {"relaxed", "acq_rel", "seq_cst"}) {
          cases.push_back({"atomics",
                           fmt::format("{} {}, {} threads, {} atomics", operation, order, threads, locations),
                           {"atomic", operation, order, threads, locations, kMillion},
                           kAtomicLimit});
        }
      }
    }
  }
}

void add_mutexes(std::vector<OperationCase>& cases) {
  for (const char* threads : {"2", "4"}) {
    for (const char* locations : {"1", "16"}) {
      cases.push_back({"mutexes",
                       fmt::format("lock and unlock, {} threads, {} mutexes", threads, locations),
                       {"mutex", "-", "-", threads, locations, kMillion},
                       kMutexLimit});
    }
  }
}

void add_plain(std::vector<OperationCase>& cases) {
  struct Loop {
    const char* argument;
    const char* name;
  };
  constexpr std::uint64_t kTouched = 64ull << 20;  // bytes in all
  for (const Loop& loop : {Loop{"add", "arr[i] += k"}, Loop{"fields", "struct copy by fields"},
                           Loop{"structs", "struct copy"}, Loop{"fill", "memset"}}) {
    for (const std::uint64_t bytes : {1ull << 10, 64ull << 10, 4ull << 20, 100ull << 20}) {
      const std::uint64_t sweeps = std::max<std::uint64_t>(1, kTouched / bytes);
      cases.push_back({"plain",
                       fmt::format("{}, {} KB", loop.name, bytes >> 10),
                       {"plain", loop.argument, std::to_string(bytes), std::to_string(sweeps)},
                       kPlainLimit});
    }
  }
}

}  // namespace

std::vector<OperationCase> operation_cases() {
  std::vector<OperationCase> cases;
  add_atomics(cases);
  add_mutexes(cases);
  add_plain(cases);
  return cases;
}

std::vector<LengthCase> length_cases(std::uint32_t most_exponent) {
  std::vector<LengthCase> cases;
  struct Kind {
    const char* operation;
    const char* order;
  };
  for (const Kind& kind : {Kind{"store", "relaxed"}, Kind{"load", "relaxed"}, Kind{"mixed", "acq_rel"},
                           Kind{"update", "seq_cst"}}) {
    cases.push_back({fmt::format("{} {}, 2 threads, 1 atomic", kind.operation, kind.order),
                     {"atomic", kind.operation, kind.order, "2", "1"},
                     most_exponent});
    cases.push_back({fmt::format("{} {}, 4 threads, 16 atomics", kind.operation, kind.order),
                     {"atomic", kind.operation, kind.order, "4", "16"},
                     most_exponent});
  }
  // Slow, or with much memory: not longer than they have to be.
  const std::uint32_t shorter = std::min(most_exponent, 7u);
  cases.push_back(
      {"mixed acq_rel, 300 threads, 1 atomic", {"atomic", "mixed", "acq_rel", "300", "1"}, shorter});
  cases.push_back(
      {"mixed relaxed, 4 threads, 8192 atomics", {"atomic", "mixed", "relaxed", "4", "8192"}, shorter});
  cases.push_back({"lock and unlock, 2 threads, 1 mutex", {"mutex", "-", "-", "2", "1"}, most_exponent});
  return cases;
}

std::vector<RateCase> rate_cases() {
  return {
      {"tracked", {"--repetition", "track"}, {"0"}, 20'000, 10'000, "", 0},
      {"copied", {"--repetition", "copy"}, {"0"}, 10'000, 5'000, "", 0},
      {"forked", {"--repetition", "fork"}, {"0"}, 3'000, 2'000, "", 0},
      {"tracked, 200 MB in use", {"--repetition", "track"}, {"200"}, 10'000, 5'000, "", 0},
      {"heddle::check", {}, {"0", "check"}, 50'000, 100'000, "", 0},
      {"--model sc", {"--model", "sc"}, {"0"}, 20'000, 0, "", 0},
      {"--model c++20", {"--model", "c++20"}, {"0"}, 20'000, 0, "--model sc", 0.8},
      {"-j 1", {"-j", "1"}, {"0"}, 30'000, 0, "", 0},
      {"-j 2", {"-j", "2"}, {"0"}, 60'000, 0, "-j 1", 1.8},
  };
}

}  // namespace heddle::bench
