// Signals as the program sees them: which are on their way to whom, who blocks them, and what is to happen.
// Pure state; the engine decides who is woken and runs handlers. Signals of other processes are put in here
// when a thread comes to a safe point; those that the program sends itself never reach the kernel.
#pragma once

#include <signal.h>

#include <cstdint>

#include "core/base/ids.h"

namespace heddle::sched {

inline constexpr int kSignals = 65;  // 1 … 64

using SignalSet = std::uint64_t;  // bit n-1: signal n
constexpr SignalSet set_of(int signal) { return SignalSet{1} << (signal - 1); }
constexpr bool has(SignalSet set, int signal) { return (set & set_of(signal)) != 0; }
// What nobody can block.
inline constexpr SignalSet kNeverBlocked = set_of(SIGKILL) | set_of(SIGSTOP);

using SignalHandler = void (*)(int, siginfo_t*, void*);

struct SignalAction {
  SignalHandler handler = nullptr;  // SIG_DFL, SIG_IGN or a function
  int flags = 0;
  SignalSet mask = 0;

  bool is_default() const { return handler == nullptr; }
  bool is_ignored() const { return handler == reinterpret_cast<SignalHandler>(1); }
};

// What SIG_DFL does. Stopping is taken as nothing: nobody would continue the program.
constexpr bool default_is_nothing(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT ||
         signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU || signal == SIGSTOP;
}

struct QueuedSignal {
  int signal = 0;
  ThreadId target = kNoThread;  // kNoThread: the process
  siginfo_t info{};
};

class SignalQueue {
 public:
  bool empty() const { return count_ == 0; }
  // A standard signal that is on its way already is not counted twice. False: there is no room (EAGAIN).
  bool add(const QueuedSignal& signal) {
    if (signal.signal < 32) {
      for (std::uint32_t i = 0; i < count_; ++i) {
        if (queue_[i].signal == signal.signal && queue_[i].target == signal.target) return true;
      }
    }
    if (count_ == kMost) return false;
    queue_[count_++] = signal;
    return true;
  }
  // The lowest signal of `set` that `thread` may take, oldest first; 0 if there is none.
  int find(ThreadId thread, SignalSet set) const {
    const std::uint32_t at = index(thread, set);
    return at == kMost ? 0 : queue_[at].signal;
  }
  bool take(ThreadId thread, SignalSet set, QueuedSignal& result) {
    const std::uint32_t at = index(thread, set);
    if (at == kMost) return false;
    result = queue_[at];
    --count_;
    for (std::uint32_t i = at; i < count_; ++i) queue_[i] = queue_[i + 1];
    return true;
  }
  SignalSet pending(ThreadId thread) const {
    SignalSet set = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (queue_[i].target == thread || queue_[i].target == kNoThread) set |= set_of(queue_[i].signal);
    }
    return set;
  }
  // SIG_IGN throws away what is on its way.
  void drop(int signal) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (queue_[i].signal != signal) queue_[kept++] = queue_[i];
    }
    count_ = kept;
  }
  std::uint32_t count() const { return count_; }
  bool pop(QueuedSignal& result) {
    if (count_ == 0) return false;
    result = queue_[0];
    --count_;
    for (std::uint32_t i = 0; i < count_; ++i) queue_[i] = queue_[i + 1];
    return true;
  }

 private:
  static constexpr std::uint32_t kMost = 256;

  std::uint32_t index(ThreadId thread, SignalSet set) const {
    std::uint32_t best = kMost;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const QueuedSignal& q = queue_[i];
      if (!has(set, q.signal) || (q.target != thread && q.target != kNoThread)) continue;
      if (best == kMost || q.signal < queue_[best].signal) best = i;
    }
    return best;
  }

  std::uint32_t count_ = 0;
  QueuedSignal queue_[kMost];
};

}  // namespace heddle::sched
