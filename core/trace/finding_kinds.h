// The kinds of findings: one table, from which the enumeration, the names in reports and all that depends on
// the kind alone follow. A new kind is a new row at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace heddle {

enum class Severity : std::uint8_t {
  kBug = 0,
  kWarning = 1,  // exit code 0 unless --warnings-as-bugs
};

// How a program that nobody watches would show the failure.
enum class Manner : std::uint8_t {
  kOther,
  kHang,   // threads wait for ever
  kAbort,  // the program ends itself by SIGABRT
  kFault,  // it is ended by another signal
  kExit,   // it ends with a status that is not 0
};

// Enumerator, number, name in reports and JSON, severity and manner; last what the object of the finding is,
// where that can be told and nothing else tells it. Artifacts hold the numbers: a number never changes and is
// never used again. kReported is for heddle_fail and heddle_assert.
#define HEDDLE_FINDING_KINDS(ROW)                                                                      \
  ROW(kDataRace, 1, "data race", kBug, kOther)                                                         \
  ROW(kAssertion, 2, "assertion failure", kBug, kAbort)                                                \
  ROW(kAbort, 3, "abort", kBug, kAbort)                                                                \
  ROW(kUncaughtException, 4, "uncaught exception", kBug, kAbort)                                       \
  ROW(kTerminate, 5, "std::terminate", kBug, kAbort)                                                   \
  ROW(kSignal, 6, "fatal signal", kBug, kFault)                                                        \
  ROW(kStackOverflow, 7, "stack overflow", kBug, kFault)                                               \
  ROW(kDeadlock, 8, "deadlock", kBug, kHang)                                                           \
  ROW(kLostWakeUp, 9, "lost wake-up", kBug, kHang)                                                     \
  ROW(kLivelock, 10, "livelock", kBug, kHang)                                                          \
  ROW(kHeapUseAfterFree, 11, "heap use after free", kBug, kFault)                                      \
  ROW(kDoubleFree, 12, "double free", kBug, kFault, "block")                                           \
  ROW(kInvalidFree, 13, "invalid free", kBug, kFault, "block")                                         \
  ROW(kUninitialisedAtomic, 14, "uninitialised atomic", kBug, kOther, "atomic")                        \
  ROW(kMutexMisuse, 15, "mutex misuse", kBug, kOther, "mutex")                                         \
  ROW(kCondMisuse, 16, "condition variable misuse", kBug, kOther, "condition variable")                \
  ROW(kRwlockMisuse, 17, "rwlock misuse", kBug, kOther, "rwlock")                                      \
  ROW(kBarrierMisuse, 18, "barrier misuse", kBug, kOther, "barrier")                                   \
  ROW(kSemaphoreMisuse, 19, "semaphore misuse", kBug, kOther, "semaphore")                             \
  ROW(kThreadMisuse, 20, "thread misuse", kBug, kOther)                                                \
  ROW(kNonZeroExit, 21, "non-zero exit status", kBug, kExit)                                           \
  ROW(kReported, 22, "reported failure", kBug, kAbort)                                                 \
  ROW(kNotLinearizable, 23, "not linearizable", kBug, kOther)                                          \
  ROW(kOutOfMemory, 24, "out of memory", kBug, kOther)                                                 \
  ROW(kThreadLeak, 25, "thread leak", kWarning, kOther)                                                \
  ROW(kLockOrderInversion, 26, "lock-order inversion", kWarning, kOther, "mutex")                      \
  ROW(kLockHeldAtThreadEnd, 27, "lock held at thread end", kWarning, kOther, "mutex")                  \
  ROW(kStackUseAfterEnd, 28, "use of the stack of a thread that has ended", kBug, kOther)              \
  ROW(kThreadLocalUseAfterEnd, 29, "use of the thread-local storage of a thread that has ended", kBug, \
      kOther)                                                                                          \
  ROW(kTestFailure, 30, "test failure", kBug, kExit)

enum class FindingKind : std::uint8_t {
  kNone = 0,
#define HEDDLE_ROW(enumerator, number, ...) enumerator = (number),
  HEDDLE_FINDING_KINDS(HEDDLE_ROW)
#undef HEDDLE_ROW
      kCount,
};

struct FindingKindRow {
  FindingKind kind = FindingKind::kNone;
  const char* name = "unknown";
  Severity severity = Severity::kBug;
  Manner manner = Manner::kOther;
  const char* noun = "object";
};

inline constexpr FindingKindRow kFindingKinds[] = {{FindingKind::kNone, "none"},
#define HEDDLE_ROW(enumerator, number, name, severity, manner, ...) \
  {FindingKind::enumerator, name, Severity::severity, Manner::manner __VA_OPT__(, ) __VA_ARGS__},
                                                   HEDDLE_FINDING_KINDS(HEDDLE_ROW)
#undef HEDDLE_ROW
};
static_assert(
    [] {
      for (std::size_t i = 0; i < std::size(kFindingKinds); ++i) {
        if (kFindingKinds[i].kind != static_cast<FindingKind>(i)) return false;
        for (std::size_t j = 0; j < i; ++j) {
          if (std::string_view(kFindingKinds[i].name) == kFindingKinds[j].name) return false;
        }
      }
      return std::size(kFindingKinds) == static_cast<std::size_t>(FindingKind::kCount);
    }(),
    "each row has the number after that of the row before, and a name of its own");

// The row of a kind. A number that no kind has, as damaged memory may hold it, gets the row "unknown".
constexpr FindingKindRow row_of(FindingKind kind) {
  return kind < FindingKind::kCount ? kFindingKinds[static_cast<std::size_t>(kind)] : FindingKindRow{};
}

constexpr const char* to_string(FindingKind kind) { return row_of(kind).name; }
constexpr Severity severity_of(FindingKind kind) { return row_of(kind).severity; }
constexpr Manner manner_of(FindingKind kind) { return row_of(kind).manner; }

}  // namespace heddle
