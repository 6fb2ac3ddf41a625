// Execution: one run of the tested program, and the mediator of the runtime. It asks the scheduler who can
// run, the strategy whom to take, and the program's memory what a load reads; it records choices and events
// and turns what goes wrong into findings. It decides nothing itself: what has a meaning of its own is a part
// with a header of its own (docs/design/engine-parts.md), and the order of its calls is what is left here.
//
// A visible operation is an atomic access, a fence, or an operation on a thread or a synchronisation object.
// The calling thread announces it (visible()), other threads may run first, and when the thread is chosen
// again the operation takes effect. Between two visible operations a thread runs alone.
//
// Entry points are called by runtime/abi on the stack of the calling fiber. A signal handler calls fatal() only.
// The program's heap and libc are used inside a RuntimeScope only. The hot path is in execution_inl.h.
#pragma once

#include <cstdint>

#include "runtime/engine/choices.h"
#include "runtime/engine/crossings.h"
#include "runtime/engine/element_turns.h"
#include "runtime/engine/event_log.h"
#include "runtime/engine/fairness.h"
#include "runtime/engine/happens_before.h"
#include "runtime/engine/history_clock.h"
#include "runtime/engine/hooks.h"
#include "runtime/engine/outside_world.h"
#include "runtime/engine/plain_accesses.h"
#include "runtime/engine/program_heap.h"
#include "runtime/engine/race_reports.h"
#include "runtime/engine/rules.h"
#include "runtime/engine/run_on.h"
#include "runtime/engine/scene.h"
#include "runtime/engine/signal_delivery.h"
#include "runtime/engine/stacks.h"
#include "runtime/engine/wake_probe.h"

namespace heddle::engine {

class Execution final : public strategy::View, private FindingHost, private ChoiceHost {
 public:
  // Adopts the calling thread as the program's main thread.
  void start(Channel channel, strategy::Strategy* strategy, const SessionHooks& hooks);
  void set_program_hooks(const ProgramHooks& hooks) { program_ = hooks; }
  const ProgramHooks& program() const { return program_; }
  // In the process that will run execution `index`: fresh choices from here on.
  void begin(std::uint64_t index);
  Channel channel() const { return channel_; }
  const RunSpec& spec() const { return channel_.header()->spec; }
  sched::Scheduler& scheduler() { return scheduler_; }
  sched::SyncTable& sync_objects() { return sync_; }
  sched::LockGraph& locks() { return locks_; }
  sched::Thread& self() { return scheduler_.self(); }
  memory::MemoryModel& memory() { return memory_; }
  Choices& choices() { return choices_; }
  Random& outside() { return outside_; }  // what the program draws from the system: getrandom and its like
  bool choosing() const { return choices_.has_begun(); }
  void find_spare_memory(SpareMemory& spare) const;

  // --- what strategies see (observe.cpp)
  strategy::NextOperation next_operation(ThreadId thread) const override;
  std::uint32_t unfinished_threads() const override { return scheduler_.unfinished_count(); }
  std::uint32_t latest_stores(std::uint32_t* alternatives, std::uint32_t most) const override;
  std::uint32_t nearest_store(ChoiceKey store) const override;
  bool store_precedes(const strategy::Location& location, ChoiceKey a, ChoiceKey b) const override;
  std::uint64_t latest_change() const override { return fairness_.last_change(); }
  EventId next_event() const override { return events_.next(); }

  // --- visible operations
  // Announces an operation and lets the strategy decide who goes first. On return it is the caller's turn.
  void visible(const sched::PendingOperation& operation);
  void take_turn(std::uint64_t pc);  // of the operation that was announced
  // Must somebody know of every access? Events are recorded, or the strategy looks on.
  bool is_watched() const { return events_.is_on() || choices_.observer() != nullptr; }
  // Records what the operation did; `value` is mixed into the trace hash.
  void done(EventKind kind, std::uint64_t value);
  // Records an atomic access; `read` is the store that it read, nullptr: none.
  void done_access(EventKind kind, MemoryOrder order, std::uint64_t value, const memory::Candidate* read);
  // nullptr when events are off
  Event* record(EventKind kind, std::uint64_t pc) { return events_.is_on() ? add_event(kind, pc) : nullptr; }
  // The event is of what lies at `address`. If that is on a stack, the frame is noted, by which it gets its name.
  void set_address(Event& event, Address address);
  bool recording() const { return events_.is_on(); }
  void pause_recording(bool pause) { events_.pause(pause); }
  void changed() { fairness_.changed(steps()); }  // what others can see: the program is not spinning
  std::uint64_t steps() const { return channel_.header()->current.steps; }
  // Does a wait end for no reason? With nobody else there is nothing to be found by it.
  bool wakes_spuriously() { return scheduler_.unfinished_count() > 1 && choices_.spurious_failure(); }
  // Blocks the calling thread and runs others until it is woken. True if it was woken, false if its deadline
  // passed; that a short deadline passes before anybody else acts is a choice.
  bool wait(sched::WaitKind kind, Address object, std::uint64_t deadline = sched::kNoDeadline,
            ThreadId waits_for = kNoThread);
  void run_others();  // the calling thread cannot go on: switch to one that can
  // Histories of objects (history_clock.h).
  void operation_called(sched::HistoryMoment* moment, std::uint32_t operation);
  void operation_returned(sched::HistoryMoment* moment);
  void operations_planned(std::uint32_t operation, std::uint32_t calls);
  void piece_begins();

  // --- threads (threads.cpp)
  sched::Thread* create_thread(void* (*entry)(void*), void* argument, const sched::StackRequest& stack,
                               bool detached, std::uint64_t pc);
  int join_thread(std::uint64_t handle, void** result, std::uint64_t deadline, bool only_try,
                  std::uint64_t pc);
  int detach_thread(std::uint64_t handle, std::uint64_t pc);
  // The body of heddle::check: it begins, and it ends when all threads have that it started.
  void begin_check();
  void end_check();
  void begin_thread(sched::Thread& thread);
  [[noreturn]] void end_thread(void* result);
  void run_exit_handlers();
  // Asks a thread to end, which it does at its next cancellation point, or where it waits now.
  int cancel_thread(std::uint64_t handle, std::uint64_t pc);
  // Takes note that the running thread is about to act on a request; it cannot be cancelled again.
  void accept_cancel();
  static bool cancel_pending(const sched::Thread& t) { return t.cancel_requested && !t.cancel_disabled; }
  void yield(std::uint64_t pc);
  // The calling thread spins where nothing tells of it: others run before it goes on.
  void stand_back(std::uint64_t pc);
  void sleep_until(std::uint64_t time, std::uint64_t pc);
  // The program asks for the time: moves on a little each time, faster when it is asked in a loop.
  std::uint64_t read_clock();

  // --- synchronisation objects (mutex.cpp, condition.cpp, rwlock.cpp, semaphore.cpp, futex.cpp, locks.cpp).
  // Deadlines are virtual times. Answers are errno values.
  int mutex_lock(sched::SyncObject& mutex, std::uint64_t pc, std::uint64_t deadline = sched::kNoDeadline);
  int mutex_try_lock(sched::SyncObject& mutex, std::uint64_t pc);
  int mutex_unlock(sched::SyncObject& mutex, std::uint64_t pc);
  int condition_wait(sched::SyncObject& condition, sched::SyncObject& mutex, std::uint64_t pc,
                     std::uint64_t deadline = sched::kNoDeadline);
  int condition_signal(sched::SyncObject& condition, std::uint64_t pc);
  int condition_broadcast(sched::SyncObject& condition, std::uint64_t pc);
  int rwlock_lock(sched::SyncObject& lock, bool write, bool only_try, std::uint64_t deadline,
                  std::uint64_t pc);
  int rwlock_unlock(sched::SyncObject& lock, std::uint64_t pc);
  // 0, or PTHREAD_BARRIER_SERIAL_THREAD for the thread that came last.
  int barrier_wait(sched::SyncObject& barrier, std::uint64_t pc);
  int semaphore_wait(sched::SyncObject& semaphore, bool only_try, std::uint64_t deadline, std::uint64_t pc);
  int semaphore_post(sched::SyncObject& semaphore, std::uint64_t pc);
  int futex_wait(Address address, std::uint32_t expected, std::uint32_t bits, std::uint64_t deadline,
                 std::uint64_t pc, bool spurious = true);
  std::uint32_t futex_wake(Address address, std::uint32_t most, std::uint32_t bits, std::uint64_t pc);
  // Wakes `most` and lets up to `move` others wait at `to` instead. FUTEX_CMP_REQUEUE: EAGAIN as a negative
  // number if *address is not *expected any more.
  int futex_requeue(Address address, std::uint32_t most, Address to, std::uint32_t move,
                    const std::uint32_t* expected, std::uint64_t pc);
  // An object of any kind is destroyed, initialised again, or its memory freed: it must not be in use.
  void destroy_object(sched::SyncObject& object, std::uint64_t pc);
  void check_unused(const sched::SyncObject& object, const char* deed, std::uint64_t pc);
  void object_made(const sched::SyncObject& object, std::uint64_t pc);  // by an init function
  sched::CodePlace place(std::uint64_t pc) { return {pc, recorded_stack(), scheduler_.current()}; }
  // Happens-before edges that a synchronisation object makes.
  HappensBefore& edges() { return edges_; }
  void acquire(sched::SyncObject& object) { edges_.acquire(object.clock, scheduler_.current()); }
  void release(sched::SyncObject& object) { edges_.release(object.clock); }
  void forget(sched::SyncObject& object);
  void enter_epoch() { edges_.enter_epoch(); }

  // --- the outside world (outside_world.h, signals.h; docs/guide/outside-world.md)
  // Kernel objects and processes that are made from here on belong to one execution only: the common prefix
  // ends here at the latest.
  void leave_prefix() { choices_.begin_if_not(); }
  // Before what cannot be undone: a thread that was only woken to see what it does stops here (wake_probe.h).
  void probe_leaves();
  // For system calls that interposers make by their own hand.
  void kernel_changes(long number) { hooks_.kernel_changes(number); }
  enum class Awaited : std::uint8_t { kReady, kTimedOut, kInterrupted };
  // Blocks the calling thread until the call can be tried again.
  Awaited await_outside(const sched::BlockingCall& call, std::uint64_t deadline);
  // Some thread did something that calls of others may wait for.
  void io_happened() { world_.io_happened(); }
  void child_started();
  void child_reaped() { world_.child_reaped(); }
  bool has_children() const { return world_.has_children(); }
  void note_flag(std::uint32_t flag) { channel_.header()->current.flags |= flag; }
  // Happens-before through descriptors: who writes or closes releases, who reads acquires.
  void acquire_descriptor(int descriptor);
  void release_descriptor(int descriptor);
  void note_call(const char* name, long descriptor, long result, std::uint64_t pc);
  SignalDelivery& signals() { return signals_; }
  sched::TimerTable& timers() { return world_.timers(); }

  // --- memory (accesses.cpp, volatiles.cpp, storage.cpp)
  // A plain access, before it happens.
  template <race::AccessOp kOp, std::uint32_t kSize>
  void plain_access(Address address, std::uint64_t pc);
  // `function`: of libc, which accesses it for the program; 0: the program itself.
  void plain_range(race::AccessOp op, Address address, std::uint64_t bytes, std::uint64_t pc,
                   std::uint64_t function = 0);
  // To be called before the program's memory is accessed on its behalf in any other way.
  void before_access();
  // before_access() of a call that returns to `pc`, which may lie in a library.
  void before_call(std::uint64_t pc);
  // An atomic access that the model has committed: the detector is still in the epoch that it was made in.
  template <race::AccessOp kOp, std::uint32_t kSize>
  void atomic_access(Address address, std::uint64_t pc);
  void note_release();  // by that access, as far as it has
  void volatile_read(Address address, std::uint8_t bytes, std::uint64_t pc);
  void volatile_write(Address address, std::uint8_t bytes, std::uint64_t pc);
  // An atomic operation reads this place, of which the model knows nothing yet. Memory straight from malloc
  // that nobody has written has no value to read.
  void check_initialised(const memory::Place& place, std::uint64_t pc);
  // Memory that was freed, and stacks and thread-local storage of threads that have ended.
  void check_not_freed(Address address, std::uint64_t bytes, std::uint64_t pc);
  // What is known only at the end: were candidates dropped, each store's place in its modification order.
  void settle();
  bool watching() const { return crossings_.watching(); }  // calls of libraries (crossings.h)
  void note_trusted_libraries();                           // tells the tool which names were of use

  // --- rules and orders that the program is held to (rules.h, element_turns.h; enforcement.cpp)
  bool enforcing() const { return enforcing_; }
  MemoryOrder enforced_order(std::uint64_t pc, MemoryOrder order) const {
    return rules_.order_at(scheduler_.thread(scheduler_.current()), pc, order);
  }
  ElementTurns& elements() { return elements_; }
  const ElementOrders& orders() const { return elements_.orders(); }
  using ElementRange = ElementTurns::Range;
  // Before a plain access: others may come first, and do where it is their turn.
  void element_access(std::uint32_t order, const ElementRange& range, std::uint64_t pc);
  // Before an operation that has a turn of its own. `range`: of atomic operations.
  void await_element(std::uint32_t order, const ElementRange& range);

  // --- stacks, findings and endings (stacks.h, finding_builder.h; endings.cpp)
  void enter_function(std::uint64_t caller_pc, std::uint64_t stack_pointer);
  void leave_function();
  StackId stack_of(const sched::Thread& thread) { return stacks_.of(thread); }
  // Of the running thread, where it is kept for events alone.
  StackId recorded_stack() { return events_.is_on() ? stacks_.of(self()) : kEmptyStack; }
  [[noreturn]] void fatal(FindingKind kind, const char* message, std::uint64_t pc, int signal = 0);
  [[noreturn]] void misuse(FindingKind kind, const char* message, const sched::SyncObject& object,
                           std::uint64_t pc);
  [[noreturn]] void thread_misuse(const char* message, const sched::Thread& thread, std::uint64_t pc);
  [[noreturn]] void finish(Ending ending, int status);
  [[noreturn]] void unsupported(const char* name, const char* advice);
  [[noreturn]] void stop_at_limit(const char* name, const char* advice);
  void warn(FindingKind kind, const char* message, std::uint64_t pc);
  void note_outcome(const char* text);
  void note_text(EventKind kind, const char* text, std::uint64_t pc);
  void check_at_exit();  // warnings that can be given only at the end of the program

  // --- the heap (memory.cpp)
  void* allocate(std::size_t size, std::size_t alignment, heap::Allocator allocator, std::uint64_t pc);
  void free(void* pointer, std::uint64_t pc);
  void* reallocate(void* pointer, std::size_t size, std::uint64_t pc);
  void memory_mapped(Address begin, std::uint64_t size, std::uint64_t pc);
  void memory_unmapped(Address begin, std::uint64_t size, std::uint64_t pc);
  // Memory that the kernel took back: what is mapped there next has nothing to do with it.
  void forget_memory(Address begin, std::uint64_t size);

 private:
  Event* record_finding() override { return record(EventKind::kFinding, self().last_pc); }
  void at_first_choice() override { hooks_.at_first_choice(); }
  [[noreturn]] void break_off(Ending ending) override { finish(ending, 0); }
  class OutsideView;
  // --- turns (execution.cpp, enforcement.cpp, spins.cpp, blocking.cpp)
  template <bool kDraws>
  void take_turn_as(std::uint64_t pc);
  void note_pace();
  void switch_to(ThreadId thread);
  void cross_before_switch();
  ThreadId choose_thread(bool can_continue);
  ThreadId choose_free_thread(bool can_continue);
  ThreadId choose_in_order(bool can_continue);
  sched::Thread* choose_waiter(sched::WaitKind kind, Address object, std::uint32_t bits = ~0u);
  std::uint32_t waiter_in_order(sched::Thread* const* waiters, const ChoiceKey* keys, std::uint32_t count);
  void check_bounds();
  void observe_spin();
  bool pass_time_of_spin();
  bool pass_time();
  void fire_timers();
  void wait_with_spins();
  bool wait_for_sharers();
  [[noreturn]] void end_in_deadlock();
  // --- what operations leave behind (observe.cpp, locks.cpp, condition.cpp)
  void hash(EventKind kind, std::uint64_t value);
  void observe(EventKind kind);
  void observe_access(const sched::PendingOperation& access, const memory::Candidate* read);
  Event* add_event(EventKind kind, std::uint64_t pc);
  void mutex_taken(sched::SyncObject& mutex, std::uint64_t pc, bool could_wait, bool blocked);
  void lock_taken(sched::SyncObject& lock, bool shared, bool could_wait, std::uint64_t pc);
  void lock_released(sched::SyncObject& lock);
  void note_early(sched::SyncObject& object, std::uint64_t pc);
  void note_heard(sched::SyncObject& object, const sched::Thread& woken, std::uint64_t pc);
  bool wakes_one(const sched::SyncObject& condition);
  void leave_locks();  // the thread ends
  // --- memory (accesses.cpp, plain_events.cpp, volatiles.cpp, storage.cpp, crossing_calls.cpp)
  template <race::AccessOp kOp, std::uint32_t kSize>
  void plain_access_anew(Address address, std::uint64_t pc);
  template <race::AccessOp kOp, std::uint32_t kSize>
  void plain_access_slowly(Address address, std::uint64_t pc);
  void plain_over_atomics(race::AccessOp op, Address address, std::uint64_t bytes);
  void note_plain_access(race::AccessOp op, Address address, std::uint64_t bytes, std::uint64_t pc);
  bool announce_plain_access(race::AccessOp op, Address address, std::uint64_t bytes, std::uint64_t pc);
  void record_plain_access(bool writes, Address at, std::uint64_t bytes, std::uint64_t pc, std::uint8_t how);
  void note_plain_write(Address address, std::uint64_t bytes);
  void touch_granules(const ElementRange& range);
  void profile_access(std::uint32_t order, const ElementRange& range);
  template <typename T>
  void volatile_load(Address address, std::uint64_t pc);
  template <typename T>
  void volatile_store(Address address, std::uint64_t pc);
  void settle_volatile();
  void check_initialised_slowly(const memory::Place& place, std::uint64_t pc);
  StackId access_stack(std::uint64_t pc) { return events_.is_on() ? stacks_.of_access(pc) : kEmptyStack; }
  void report_race(const race::Race& race);
  [[noreturn]] void report_freed(Address address, std::uint64_t bytes, std::uint64_t pc);
  void check_thread_storage(Address address, std::uint64_t bytes, std::uint64_t pc);
  void end_storage(const sched::Thread& thread);
  void note_use(const sched::SyncObject& object, std::uint64_t pc);
  void check_last_unlock(const sched::SyncObject& lock, race::Deed deed, std::uint64_t pc);
  void note_allocated(const heap::Block& block, std::uint64_t pc);
  void cross(bool out);  // `out`: the program itself acts, and not the library
  void enter_from(std::uint64_t caller_pc);
  void return_to_caller();
  // --- would a thread that is stuck go on, if it were woken? (wake_probe.cpp)
  bool probe_waiters();  // true: one was woken, and is to run
  void begin_probe();
  void end_probe();
  void probe_step();
  [[noreturn]] void conclude_probe(bool goes_on);

  // What changes all the time lies together: an execution that is put back page by page writes few pages.
  Channel channel_;
  SessionHooks hooks_;
  ProgramHooks program_;
  Random outside_;
  bool enforcing_ = false;  // there are rules or orders
  EventLog events_;
  PlainAccesses plain_;
  Fairness fairness_{spin_watch()};
  Choices choices_{scheduler_, memory_, fairness_, *this};
  HistoryClock history_;
  sched::Scheduler scheduler_;
  sched::SyncTable sync_;
  sched::LockGraph locks_;
  memory::MemoryModel memory_;
  race::RaceDetector race_;
  HappensBefore edges_{scheduler_, memory_, race_};
  Crossings crossings_{edges_};
  Rules rules_{edges_, scheduler_, sync_};
  ElementTurns elements_{scheduler_, locks_};
  Stacks stacks_{scheduler_, events_};
  RaceReports race_reports_;
  Scene scene_{channel_, scheduler_, sync_, locks_, stacks_, *this};
  SignalDelivery signals_;
  OutsideWorld world_{scheduler_};
  RunOn run_on_;
  WakeProbe probe_;
};

}  // namespace heddle::engine

#include "runtime/engine/execution_inl.h"  // IWYU pragma: export
