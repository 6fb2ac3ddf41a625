#include "core/trace/finding.h"

namespace heddle {

const char* to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::kNone:
      return "none";
    case FindingKind::kDataRace:
      return "data race";
    case FindingKind::kAssertion:
      return "assertion failure";
    case FindingKind::kAbort:
      return "abort";
    case FindingKind::kUncaughtException:
      return "uncaught exception";
    case FindingKind::kTerminate:
      return "std::terminate";
    case FindingKind::kSignal:
      return "fatal signal";
    case FindingKind::kStackOverflow:
      return "stack overflow";
    case FindingKind::kDeadlock:
      return "deadlock";
    case FindingKind::kLostWakeUp:
      return "lost wake-up";
    case FindingKind::kLivelock:
      return "livelock";
    case FindingKind::kHeapUseAfterFree:
      return "heap use after free";
    case FindingKind::kDoubleFree:
      return "double free";
    case FindingKind::kInvalidFree:
      return "invalid free";
    case FindingKind::kUninitialisedAtomic:
      return "uninitialised atomic";
    case FindingKind::kMutexMisuse:
      return "mutex misuse";
    case FindingKind::kCondMisuse:
      return "condition variable misuse";
    case FindingKind::kRwlockMisuse:
      return "rwlock misuse";
    case FindingKind::kBarrierMisuse:
      return "barrier misuse";
    case FindingKind::kSemaphoreMisuse:
      return "semaphore misuse";
    case FindingKind::kThreadMisuse:
      return "thread misuse";
    case FindingKind::kNonZeroExit:
      return "non-zero exit status";
    case FindingKind::kReported:
      return "reported failure";
    case FindingKind::kNotLinearizable:
      return "not linearizable";
    case FindingKind::kOutOfMemory:
      return "out of memory";
    case FindingKind::kStackUseAfterEnd:
      return "use of the stack of a thread that has ended";
    case FindingKind::kThreadLocalUseAfterEnd:
      return "use of the thread-local storage of a thread that has ended";
    case FindingKind::kThreadLeak:
      return "thread leak";
    case FindingKind::kLockOrderInversion:
      return "lock-order inversion";
    case FindingKind::kLockHeldAtThreadEnd:
      return "lock held at thread end";
    case FindingKind::kCount:
      break;
  }
  return "unknown";
}

}  // namespace heddle
