#include "runtime/engine/signal_delivery.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::engine {
namespace {

using sched::QueuedSignal;
using sched::SignalAction;
using sched::Thread;
using sched::ThreadState;
using Route = SignalDelivery::Route;

void handler(int, siginfo_t*, void*) {}

SignalAction ignored() {
  SignalAction action;
  action.handler = reinterpret_cast<sched::SignalHandler>(1);  // SIG_IGN
  return action;
}

// Three threads that can run; the first one runs.
class FakeHost final : public SignalHost {
 public:
  FakeHost() : threads(3) {
    for (std::uint16_t i = 0; i < threads.size(); ++i) {
      threads[i].id = ThreadId{i};
      threads[i].state = ThreadState::kRunnable;
    }
  }
  std::uint32_t thread_count() override { return static_cast<std::uint32_t>(threads.size()); }
  Thread& thread(ThreadId id) override { return threads[index_of(id)]; }
  Thread& running() override { return threads[0]; }
  void wake(Thread& t) override { t.state = ThreadState::kRunnable; }
  std::uint32_t choose_taker(const ChoiceKey* keys, std::uint32_t count) override {
    offered.assign(keys, keys + count);
    return count - 1;
  }
  void changed() override { ++changes; }
  bool divert(const QueuedSignal&) override { return diverts; }

  std::vector<Thread> threads;
  std::vector<ChoiceKey> offered;
  int changes = 0;
  bool diverts = false;
};

class SignalDeliveryTest : public ::testing::Test {
 protected:
  SignalDeliveryTest() { delivery_.set_action(SIGUSR1, {handler, 0, 0}); }
  static QueuedSignal signal(int number, ThreadId target = kNoThread) {
    QueuedSignal q;
    q.signal = number;
    q.target = target;
    return q;
  }
  void block(std::uint32_t thread, int number) { host_.threads[thread].signal_mask |= sched::set_of(number); }

  FakeHost host_;
  SignalDelivery delivery_;
};

// POSIX, kill: if the caller does not block the signal, it is delivered to the caller before kill returns.
TEST_F(SignalDeliveryTest, SignalOfTheProcessGoesToTheCallerIfItCan) {
  QueuedSignal q = signal(SIGUSR1);
  EXPECT_EQ(delivery_.route(host_, q), Route::kTaken);
  EXPECT_EQ(q.target, ThreadId{0});
  EXPECT_TRUE(host_.offered.empty());
}

TEST_F(SignalDeliveryTest, WhoElseTakesItIsAChoice) {
  block(0, SIGUSR1);
  QueuedSignal q = signal(SIGUSR1);
  EXPECT_EQ(delivery_.route(host_, q), Route::kTaken);
  EXPECT_EQ(host_.offered,
            (std::vector<ChoiceKey>{ChoiceKey::thread(ThreadId{1}), ChoiceKey::thread(ThreadId{2})}));
  EXPECT_EQ(q.target, ThreadId{2});
}

TEST_F(SignalDeliveryTest, ThreadThatWaitsForItComesBeforeHandlers) {
  Thread& waiter = host_.threads[1];
  waiter.state = ThreadState::kBlocked;
  waiter.awaited_signals = sched::set_of(SIGUSR1);
  block(1, SIGUSR1);
  QueuedSignal q = signal(SIGUSR1);
  EXPECT_EQ(delivery_.route(host_, q), Route::kTaken);
  EXPECT_EQ(q.target, waiter.id);
  EXPECT_EQ(waiter.state, ThreadState::kRunnable);
}

TEST_F(SignalDeliveryTest, WhatAllBlockStaysPendingUntilItIsTaken) {
  for (std::uint32_t i = 0; i < 3; ++i) block(i, SIGUSR1);
  EXPECT_TRUE(delivery_.queue(host_, signal(SIGUSR1)));
  EXPECT_TRUE(delivery_.any());
  EXPECT_EQ(delivery_.pending(ThreadId{2}), sched::set_of(SIGUSR1));
  QueuedSignal q;
  EXPECT_FALSE(delivery_.take(ThreadId{2}, ~host_.threads[2].signal_mask, q));
  EXPECT_TRUE(delivery_.take(ThreadId{2}, ~sched::SignalSet{0}, q));
  EXPECT_EQ(q.signal, SIGUSR1);
  EXPECT_FALSE(delivery_.any());
}

TEST_F(SignalDeliveryTest, SignalOfAThreadWaitsForThatThread) {
  block(1, SIGUSR1);
  EXPECT_TRUE(delivery_.queue(host_, signal(SIGUSR1, ThreadId{1})));
  EXPECT_EQ(delivery_.pending(ThreadId{0}), 0u);
  EXPECT_EQ(delivery_.find(ThreadId{1}, ~sched::SignalSet{0}), SIGUSR1);
}

TEST_F(SignalDeliveryTest, IgnoredSignalIsDroppedUnlessBlocked) {
  QueuedSignal child = signal(SIGCHLD);  // by default nothing is done
  EXPECT_EQ(delivery_.route(host_, child), Route::kDropped);
  for (std::uint32_t i = 0; i < 3; ++i) block(i, SIGCHLD);
  EXPECT_EQ(delivery_.route(host_, child), Route::kPending);
}

TEST_F(SignalDeliveryTest, IgnoringASignalDropsWhatIsPending) {
  for (std::uint32_t i = 0; i < 3; ++i) block(i, SIGUSR1);
  delivery_.queue(host_, signal(SIGUSR1));
  delivery_.set_action(SIGUSR1, ignored());
  EXPECT_FALSE(delivery_.any());
}

TEST_F(SignalDeliveryTest, PendingSignalMayGoToASignalfd) {
  for (std::uint32_t i = 0; i < 3; ++i) block(i, SIGUSR1);
  host_.diverts = true;
  EXPECT_TRUE(delivery_.queue(host_, signal(SIGUSR1)));
  EXPECT_FALSE(delivery_.any());
  EXPECT_EQ(host_.changes, 1);
}

TEST_F(SignalDeliveryTest, SignalOfTheKernelIsQueuedAtTheNextLook) {
  siginfo_t info{};
  info.si_signo = SIGUSR1;
  note_arrived(SIGUSR1, &info, nullptr);
  EXPECT_TRUE(delivery_.any());
  EXPECT_TRUE(delivery_.queue_arrived(host_));
  EXPECT_FALSE(delivery_.queue_arrived(host_));
  EXPECT_EQ(delivery_.find(ThreadId{0}, ~sched::SignalSet{0}), SIGUSR1);
}

// The operation that a handler comes before must not see what the handler did.
TEST_F(SignalDeliveryTest, HandlerLeavesTheInterruptedOperationAsItWas) {
  Thread& t = host_.threads[0];
  t.pending.address = 64;
  t.timed_out = true;
  t.depth = 2;
  const SignalAction action{handler, 0, sched::set_of(SIGUSR2) | sched::set_of(SIGKILL)};
  const auto interrupted = SignalDelivery::enter_handler(t, SIGUSR1, action);
  EXPECT_EQ(t.signal_mask, sched::set_of(SIGUSR1) | sched::set_of(SIGUSR2));
  EXPECT_EQ(t.handler_depth, 1u);
  t.pending.address = 128;
  t.timed_out = false;
  t.depth = 7;
  SignalDelivery::leave_handler(t, interrupted, action);
  EXPECT_EQ(t.pending.address, 64u);
  EXPECT_TRUE(t.timed_out);
  EXPECT_EQ(t.depth, 2u);
  EXPECT_EQ(t.signal_mask, 0u);
  EXPECT_TRUE(t.interrupted);  // without SA_RESTART the wait ends with EINTR
}

TEST_F(SignalDeliveryTest, JumpOutOfHandlersRestoresTheOutermostMask) {
  Thread& t = host_.threads[0];
  t.signal_mask = sched::set_of(SIGTERM);
  const SignalAction action{handler, SA_NODEFER, 0};
  SignalDelivery::enter_handler(t, SIGUSR1, action);
  SignalDelivery::enter_handler(t, SIGUSR2, {handler, 0, 0});
  SignalDelivery::leave_all_handlers(t);
  EXPECT_EQ(t.signal_mask, sched::set_of(SIGTERM));
  EXPECT_EQ(t.handler_depth, 0u);
}

TEST_F(SignalDeliveryTest, FaultInItsOwnHandlerIsTheEnd) {
  delivery_.set_action(SIGSEGV, {handler, static_cast<int>(SA_RESETHAND), 0});
  Thread& t = host_.threads[0];
  SignalAction action;
  EXPECT_TRUE(delivery_.begin_fault(t, {SIGSEGV, 1, 2}, false, action));
  EXPECT_EQ(delivery_.fault().address, 2u);
  EXPECT_TRUE(delivery_.action(SIGSEGV).is_default());  // SA_RESETHAND
  delivery_.set_action(SIGSEGV, {handler, 0, 0});
  t.in_fault_handler = true;
  EXPECT_FALSE(delivery_.begin_fault(t, {SIGSEGV, 1, 2}, false, action));
}

TEST_F(SignalDeliveryTest, FaultOfAFullStackNeedsAnotherStack) {
  delivery_.set_action(SIGSEGV, {handler, 0, 0});
  SignalAction action;
  EXPECT_FALSE(delivery_.begin_fault(host_.threads[0], {SIGSEGV, 1, 2}, true, action));
  delivery_.set_action(SIGSEGV, {handler, SA_ONSTACK, 0});
  EXPECT_TRUE(delivery_.begin_fault(host_.threads[0], {SIGSEGV, 1, 2}, true, action));
}

}  // namespace
}  // namespace heddle::engine
