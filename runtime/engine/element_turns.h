// ElementTurns: which threads may go on where an execution is held to orders of shared program elements
// (core/trace/orders.h).
//
// ElementOrders knows how far each order has come. Here is what that means for threads: who is out of turn, who
// goes first among those that are not, and whom a signal wakes.
//
// Owns: the orders, and how many blocks were entered. What a thread awaits is kept with the thread.
// Invariants:
//   - where there are orders, only threads of find_free() go on; kNobody means that the orders cannot be kept;
//   - an order that gives way does so only when nobody could go on otherwise;
//   - nothing is chosen here: the strategy chooses among those that are left, and the mediator logs the choice
//     as one among all that can run, as it would be without orders.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/engine/element_orders.h"
#include "runtime/engine/rules.h"
#include "runtime/sched/lock_graph.h"
#include "runtime/sched/scheduler.h"

namespace heddle::engine {

// Threads among which one is chosen; those beyond kMost are left out.
struct FreeThreads {
  static constexpr std::uint32_t kMost = 512;

  ThreadId threads[kMost];
  std::uint32_t count = 0;
  std::uint32_t own_position = kMost;  // of the running thread; kMost: it is none of them

  bool has_own() const { return own_position != kMost; }
  void add(ThreadId id, ThreadId running) {
    if (count == kMost) return;
    if (id == running) own_position = count;
    threads[count++] = id;
  }
};

class ElementTurns {
 public:
  // What is accessed, as far as it is known (of calls only where it begins).
  struct Range {
    Address begin = 0;
    std::uint64_t bytes = 0;
    bool writes = false;
  };

  ElementTurns(const sched::Scheduler& scheduler, sched::LockGraph& locks)
      : scheduler_(scheduler), locks_(locks) {}

  void start(OrderTable* table, bool profiles) { orders_.start(table, profiles); }
  const ElementOrders& orders() const { return orders_; }
  bool any() const { return orders_.any(); }

  // --- what the running thread awaits, and has passed.
  void await(sched::Thread& running, std::uint32_t order);
  void await_mutex(sched::Thread& running, Address mutex);  // that a wait for a condition takes again
  void pass(sched::Thread& running);
  void enter(sched::Thread& running);  // a block
  void take_lock(sched::Thread& running, Address lock, std::uint32_t order, std::uint64_t element);
  void take_again(sched::Thread& running, Address mutex);  // by the name by which it was taken before

  // --- profiles: which elements are shared.
  void saw(std::uint32_t order, ThreadId thread) { orders_.saw(order, thread); }
  void saw_shared(std::uint32_t order, bool is_protected) { orders_.saw_shared(order, is_protected); }
  // Locks that keep others from what the running thread accesses, and whose order is recorded: each by its
  // address and the element by which this thread took it, since the order of two elements says nothing. One
  // that it took in code without names is not: its order is nowhere.
  std::uint32_t name_held_locks(bool writes, std::uint64_t* names) const;

  // --- who goes on.
  // The runnable threads that rules and orders let go on; the first number of threads that is not 0 counts.
  // count 0: nobody. `seed` and `steps` decide when an order that is waited for goes first.
  void find_free(FreeThreads& free, const Rules& rules, std::uint64_t seed, std::uint64_t steps);
  // Of threads that wait for a condition the one whose wait ends first in the orders that it is held to, which
  // says whom a signal woke; kNone: nothing is said.
  std::uint32_t first_waiter(std::span<sched::Thread* const> waiters) const;
  // An order that a thread waits for and whose turn it is not; kNone: there is none.
  std::uint32_t unkept_order() const;

 private:
  bool is_out_of_turn(const sched::Thread& thread, std::uint32_t giving_way) const;
  void gather(FreeThreads& free, const Rules& rules, std::uint32_t giving_way) const;
  void keep_waited_for(FreeThreads& free) const;
  void keep_hindmost(FreeThreads& free);
  void keep_next_to_enter(FreeThreads& free);
  std::uint64_t rank_of(const sched::Thread& thread) const;

  const sched::Scheduler& scheduler_;
  sched::LockGraph& locks_;
  ElementOrders orders_;
  std::uint32_t entered_ = 0;  // blocks, by all threads
};

}  // namespace heddle::engine
