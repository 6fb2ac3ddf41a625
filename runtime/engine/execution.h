// Execution: one run of the tested program, and the mediator of the runtime. It asks the scheduler who can
// run, the strategy whom to take, and the program's memory what a load reads; it records choices and events
// and turns what goes wrong into findings. It decides nothing itself.
//
// A visible operation is an atomic access, a fence, or an operation on a thread or a synchronisation object.
// The calling thread announces it (visible()), other threads may run first, and when the thread is chosen
// again the operation takes effect. Between two visible operations a thread runs alone.
//
// Entry points are called by runtime/abi, on the stack of the calling fiber, never from a signal handler
// except fatal(). Nothing here allocates from the program's heap or enters libc, except inside a
// RuntimeScope.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/trace/channel.h"
#include "runtime/engine/choice_log.h"
#include "runtime/engine/crossings.h"
#include "runtime/engine/element_turns.h"
#include "runtime/engine/event_log.h"
#include "runtime/engine/fairness.h"
#include "runtime/engine/happens_before.h"
#include "runtime/engine/history_clock.h"
#include "runtime/engine/hooks.h"
#include "runtime/engine/outside_world.h"
#include "runtime/engine/program_heap.h"
#include "runtime/engine/race_reports.h"
#include "runtime/engine/rules.h"
#include "runtime/engine/run_on.h"
#include "runtime/engine/scene.h"
#include "runtime/engine/signal_delivery.h"
#include "runtime/engine/stacks.h"
#include "runtime/heap/heap.h"
#include "runtime/memory/memory_model.h"
#include "runtime/race/race_detector.h"
#include "runtime/sched/lock_graph.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/sync_object.h"
#include "runtime/strategy/replay.h"
#include "runtime/strategy/strategy.h"

namespace heddle::engine {

// The watch over spins, which is large and lies outside the Execution.
SpinWatch& spin_watch();

// The kind of finding for wrong use of such an object.
FindingKind misuse_of(sched::SyncKind kind);

class Execution final : public strategy::View, private FindingHost {
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
  Random& outside() { return outside_; }  // what the program draws from the system: getrandom and its like
  bool choosing() const { return begun_; }
  void find_spare_memory(SpareMemory& spare) const;
  // observe.cpp
  strategy::NextOperation next_operation(ThreadId thread) const override;
  std::uint32_t unfinished_threads() const override { return scheduler_.unfinished_count(); }
  std::uint32_t latest_stores(std::uint32_t* alternatives, std::uint32_t most) const override;
  std::uint32_t nearest_store(ChoiceKey store) const override;
  bool store_precedes(const strategy::Location& location, ChoiceKey a, ChoiceKey b) const override;
  std::uint64_t latest_change() const override { return fairness_.last_change(); }

  // --- visible operations

  // Announces an
  // operation and lets the strategy decide who goes first. On return it is the caller's turn.
  [[gnu::always_inline]] void visible(const sched::PendingOperation& operation) {
    self().pending = operation;
    take_turn(operation.pc);
  }
  // … for who has announced it already.
  void take_turn(std::uint64_t pc);
  // Who must know of every access: events are recorded, or the strategy looks on.
  bool is_watched() const { return events_.is_on() || observer_ != nullptr; }
  // Histories of objects (history_clock.h).
  void operation_called(sched::HistoryMoment* moment, std::uint32_t operation) {
    HistoryClock::call(self(), moment);
    if (observer_ != nullptr) observer_->operation_called(scheduler_.current(), operation);
  }
  void operation_returned(sched::HistoryMoment* moment) {
    history_.return_from(self(), *moment, log_.count());
    if (observer_ != nullptr) observer_->operation_returned(scheduler_.current());
  }
  void operations_planned(std::uint32_t operation, std::uint32_t calls) {
    if (observer_ != nullptr) observer_->operations_planned(operation, calls);
  }
  void piece_begins() {
    if (observer_ != nullptr) observer_->piece_begins();
  }
  // Records what the operation did; `value` is mixed into the trace hash.
  void done(EventKind kind, std::uint64_t value) {
    hash(kind, value);
    if (observer_ != nullptr) [[unlikely]]
      observe(kind);
  }
  // … of an atomic access; `read` is the store that it read, nullptr: none.
  void done_access(EventKind kind, MemoryOrder order, std::uint64_t value, const memory::Candidate* read) {
    hash(kind, value);
    if (observer_ != nullptr) [[unlikely]]
      observe_access({kind, order, self().pending.size, self().pending.address, self().pending.pc}, read);
  }
  // nullptr when events are off
  Event* record(EventKind kind, std::uint64_t pc) { return events_.is_on() ? add_event(kind, pc) : nullptr; }
  // The event is of what lies at `address`. Of memory on a stack, the frame is noted for who names variables.
  void set_address(Event& event, Address address);
  bool recording() const { return events_.is_on(); }
  void pause_recording(bool pause) { events_.pause(pause); }
  // Something changed that another thread could see: the program is not spinning.
  void changed() { fairness_.changed(steps()); }
  std::uint64_t steps() const { return channel_.header()->current.steps; }
  // Picks an alternative; counts only where there is something to pick.
  std::uint32_t choose(ChoiceKind kind, std::uint32_t count, std::uint32_t fallback,
                       const ChoiceKey* keys = nullptr);
  // May one more spurious failure happen, and does it?
  bool spurious_failure();
  // … of a wait. With nobody else there is nothing to be found by it.
  bool wakes_spuriously() { return scheduler_.unfinished_count() > 1 && spurious_failure(); }

  // Blocks the calling thread and runs others until it is woken. True if it was woken, false if its deadline
  // passed; that a short deadline passes before anybody else acts is a choice.
  bool wait(sched::WaitKind kind, Address object, std::uint64_t deadline = sched::kNoDeadline,
            ThreadId waits_for = kNoThread);
  void run_others();  // the calling thread cannot go on: switch to one that can

  // --- threads (threads.cpp)
  sched::Thread* create_thread(void* (*entry)(void*), void* argument, const sched::StackRequest& stack,
                               bool detached, std::uint64_t pc);
  int join_thread(std::uint64_t handle, void** result, std::uint64_t deadline, bool only_try,
                  std::uint64_t pc);
  int detach_thread(std::uint64_t handle, std::uint64_t pc);
  // The body of heddle::check: it begins, and it ends when all threads have that it started.
  void begin_check();
  void end_check();
  [[noreturn]] void end_thread(void* result);
  void run_exit_handlers();
  // Asks a thread to end. It does so at its next cancellation point, or in the one where it waits now.
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

  // --- synchronisation objects (mutex.cpp, condition.cpp, …)

  // Deadlines are virtual times. Answers are errno
  // values.
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
  void forget(sched::SyncObject& object) {
    edges_.forget(object.clock);
    edges_.forget(object.reader_clock);
  }

  // --- the outside world (blocking.cpp, signals.cpp; docs/guide/outside-world.md)
  // Kernel objects and processes that are made from here on belong to one execution only: the common prefix
  // ends here at the latest.
  void leave_prefix();
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

  // --- memory (accesses.cpp)

  // The store that a
  // load or update reads.
  std::uint32_t choose_store(std::span<const memory::Candidate> candidates);
  // … out of the `count` candidates of the read that the model has begun.
  memory::Candidate choose_store(std::uint32_t count) {
    if (count == 1) return memory_.candidate(0);
    return draws_ ? draw_store(count) : choose_store_among(count);
  }
  // Under a uniform strategy, where nobody looks on: what is read is drawn without candidates being made.
  bool may_draw_store(const memory::Found& found, MemoryOrder order) const {
    return draws_ && memory_.reads_in_a_word(scheduler_.current(), found, order);
  }
  [[gnu::always_inline]] const memory::Store& draw_load(const memory::Found& found, MemoryOrder order) {
    return memory_.load_drawn(scheduler_.current(), found, order,
                              [this](const auto&... candidates) { return draw_among(candidates...); });
  }
  const memory::Store& draw_update(const memory::Found& found, MemoryOrder order);
  std::uint32_t choose_cas_store(std::span<const memory::Candidate> candidates);
  bool may_fail_spuriously() const { return spurious_left_ != 0 && !fairness_.is_fair(); }
  EventId next_event() const override { return events_.next(); }
  void enter_epoch() { edges_.enter_epoch(); }
  // Another thread has run, and the calling one runs again.
  void resume_epoch() {
    if (crossing.pending != 0 || !race_.resume(scheduler_.current())) [[unlikely]]
      edges_.enter_epoch();
  }
  // Plain accesses, before they happen. One that changes nothing for the detector was looked at from every
  // side when this epoch first did it: since then the memory was neither freed nor accessed by anybody else.
  template <race::AccessOp kOp, std::uint32_t kSize>
  void plain_access(Address address, std::uint64_t pc) {
    if constexpr (kOp == race::AccessOp::kWrite) {
      if (fairness_.is_fair()) [[unlikely]]
        note_plain_write(address, kSize);
    }
    if (skips_known_) {
      if (race_.is_still<kOp, kSize>(address)) return;
      if (!volatile_.is_pending && race_.is_still_again<kOp, kSize>(address)) return;
    }
    plain_access_anew<kOp, kSize>(address, pc);
  }
  // To be called before the program's memory is accessed on its behalf in any other way.
  void before_access() {
    if (volatile_.is_pending) settle_volatile();
    if (crossing.pending != 0) [[unlikely]]
      cross(true);
  }
  // … by a call that returns to `pc`, which may lie in a library.
  void before_call(std::uint64_t pc) {
    if (volatile_.is_pending) settle_volatile();
    if (crossing.pending != 0) [[unlikely]]
      cross(is_program_code(pc));
  }
  // `function`: of libc, which accesses it for the program; 0: the program itself.
  void plain_range(race::AccessOp op, Address address, std::uint64_t bytes, std::uint64_t pc,
                   std::uint64_t function = 0);
  // An atomic access that the model has committed: the detector is still in the epoch that it was made in.
  template <race::AccessOp kOp, std::uint32_t kSize>
  [[gnu::always_inline]] void atomic_access(Address address, std::uint64_t pc) {
    if (!detecting_) return;
    if (const race::Race* race = race_.on_access<kOp, kSize>(address, pc, access_stack(pc)))
      report_race(*race);
  }
  // … and may have released.
  void note_release() {
    const ThreadId t = scheduler_.current();
    if (const std::uint32_t now = memory_.epoch(t).time; now != race_.time()) race_.enter_later(t, now);
  }
  // Libraries that were not compiled by heddle (crossings.h).
  bool watching() const { return crossings_.watching(); }
  void note_trusted_libraries();  // tells the tool which names were of use
  // Rules that the program is held to (rules.h).
  bool enforcing() const { return enforcing_; }
  MemoryOrder enforced_order(std::uint64_t pc, MemoryOrder order) const {
    return rules_.order_at(scheduler_.thread(scheduler_.current()), pc, order);
  }
  // Shared program elements (element_turns.h). `order`: ElementOrders::kNone, or one that was found.
  const ElementOrders& orders() const { return elements_.orders(); }
  using ElementRange = ElementTurns::Range;
  // Before a plain access: others may come first, and do where it is their turn.
  void element_access(std::uint32_t order, const ElementRange& range, std::uint64_t pc);
  // Before an operation that has a turn of its own; and after it. `range`: of atomic operations.
  void await_element(std::uint32_t order, const ElementRange& range);
  void await_mutex(Address mutex);  // that a wait for a condition takes again
  void element_passed() { elements_.pass(self()); }
  void wait_passed(Address mutex) { elements_.take_again(self(), mutex); }
  void lock_passed(Address lock, std::uint32_t order, std::uint64_t element) {
    elements_.take_lock(self(), lock, order, element);
  }
  // By which the running thread took it last; 0: it is not known.
  std::uint64_t element_of_lock(Address lock) const {
    return orders().element_of_lock(scheduler_.current(), lock);
  }
  // volatiles.cpp
  void volatile_read(Address address, std::uint8_t bytes, std::uint64_t pc);
  void volatile_write(Address address, std::uint8_t bytes, std::uint64_t pc);
  // An atomic operation reads this place, of which the model knows nothing yet. Memory straight from malloc
  // that nobody has written has no value to read.
  void check_initialised(const memory::Place& place, std::uint64_t pc) {
    if (heap::is_junk(place.memory.low, place.size) && heap::Heap::contains(place.address))
      check_initialised_slowly(place, pc);
  }
  // Memory that was freed, and stacks and thread-local storage of threads that have ended.
  void check_not_freed(Address address, std::uint64_t bytes, std::uint64_t pc) {
    using namespace address_map;
    if (address - kFiberSlots >= kBigStacksEnd - kFiberSlots) return;
    if (heap::Heap::is_freed(address)) report_freed(address, bytes, pc);
    if (address - kFiberSlotsEnd >= kHeapEnd - kFiberSlotsEnd) check_thread_storage(address, bytes, pc);
  }
  // What is known only at the end, after which no operation may follow: were candidates dropped, and in the
  // events each store's place in its modification order.
  void settle();

  // --- stacks and findings (findings.cpp)
  void enter_function(std::uint64_t caller_pc, std::uint64_t stack_pointer);
  void leave_function() {
    if (crossings_.watching()) [[unlikely]]
      return_to_caller();
    sched::Thread& t = self();
    if (t.depth > 0) --t.depth;
  }
  StackId stack_of(const sched::Thread& thread) { return stacks_.of(thread); }
  // Of the running thread, where it is kept for events alone.
  StackId recorded_stack() { return events_.is_on() ? stacks_.of(self()) : kEmptyStack; }
  // Ends the execution with this finding.
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
  // Warnings that can be given only at the end of the program.
  void check_at_exit();

  // --- the heap (memory.cpp)
  void* allocate(std::size_t size, std::size_t alignment, heap::Allocator allocator, std::uint64_t pc);
  void free(void* pointer, std::uint64_t pc);
  void memory_mapped(Address begin, std::uint64_t size, std::uint64_t pc);
  void memory_unmapped(Address begin, std::uint64_t size, std::uint64_t pc);
  // Memory that the kernel took back: what is mapped there next has nothing to do with it.
  void forget_memory(Address begin, std::uint64_t size);
  void* reallocate(void* pointer, std::size_t size, std::uint64_t pc);

 private:
  Event* record_finding() override;

  sched::Thread* choose_waiter(sched::WaitKind kind, Address object, std::uint32_t bits = ~0u);
  bool is_waited_on(const sched::SyncObject& condition) const;
  bool expires_early(std::uint64_t deadline);
  void mutex_taken(sched::SyncObject& mutex, std::uint64_t pc, bool could_wait, bool blocked);
  // What holding and releasing a lock means beside its own state (locks.cpp).
  void lock_taken(sched::SyncObject& lock, bool shared, bool could_wait, std::uint64_t pc);
  void lock_released(sched::SyncObject& lock) {
    const ThreadId t = scheduler_.current();
    locks_.released(t, lock);
    self().unlock_time = race_.time() - 1;
    self().unlock_stores = memory_.stores_of(t);
  }
  void note_early(sched::SyncObject& object, std::uint64_t pc);
  void note_heard(sched::SyncObject& object, const sched::Thread& woken, std::uint64_t pc);
  void report_lock_order(const sched::LockCycle& cycle);
  void leave_locks();  // the thread ends
  template <race::AccessOp kOp, std::uint32_t kSize>
  [[gnu::noinline]] void plain_access_anew(Address address, std::uint64_t pc) {
    if constexpr (kSize <= 8) {
      if (skips_known_ && !volatile_.is_pending && crossing.pending == 0 &&
          race_.is_renewed<kOp, kSize>(address) && !memory_.may_have_location(address, kSize))
        return;
    }
    plain_access_slowly<kOp, kSize>(address, pc);
  }
  template <race::AccessOp kOp, std::uint32_t kSize>
  [[gnu::noinline]] void plain_access_slowly(Address address, std::uint64_t pc) {
    before_access();
    if (!skips_known_) [[unlikely]]
      note_plain_access(kOp, address, kSize, pc);
    if (!is_known_word<kOp, kSize>(address)) {
      if (events_.is_on()) [[unlikely]]
        stacks_.note_own_variable(address, pc);
      if (detecting_) {
        if (const race::Race* race = race_.on_access<kOp, kSize>(address, pc, access_stack(pc)))
          report_race(*race);
      }
      check_not_freed(address, kSize, pc);
    }
    if (memory_.may_have_location(address, kSize)) plain_over_atomics(kOp, address, kSize);
    if (rules_.is_under_plain_lock()) [[unlikely]]
      rules_.unlock_plain_access();
  }
  // A step in place is enough: a free would have taken the word's own state from it.
  template <race::AccessOp kOp, std::uint32_t kSize>
  [[gnu::always_inline]] bool is_known_word(Address address) {
    if constexpr (kSize > 8) {
      return false;
    } else {
      return detecting_ && race_.is_stepped_in_place<kOp, kSize>(address);
    }
  }
  // Atomics that are read plainly are bound to what was read; those that are written start anew.
  void plain_over_atomics(race::AccessOp op, Address address, std::uint64_t bytes);
  template <typename T>
  void volatile_load(Address address, std::uint64_t pc);
  template <typename T>
  void volatile_store(Address address, std::uint64_t pc);
  void settle_volatile();
  void check_initialised_slowly(const memory::Place& place, std::uint64_t pc);
  void report_race(const race::Race& race);
  // plain_events.cpp
  void note_plain_access(race::AccessOp op, Address address, std::uint64_t bytes, std::uint64_t pc);
  void touch_granules(const ElementRange& range);
  void profile_access(std::uint32_t order, const ElementRange& range);
  // enforcement.cpp
  void note_turn(sched::Thread& t, std::uint64_t pc);
  strategy::ChoicePoint point_of(const FreeThreads& free) const;
  ThreadId choose_free_thread(bool can_continue);
  // crossing_calls.cpp
  void cross(bool out);  // `out`: the program itself acts, and not the library
  void enter_from(std::uint64_t caller_pc);
  void return_to_caller();
  static bool is_program_code(std::uint64_t pc);
  // storage.cpp
  [[noreturn]] void report_freed(Address address, std::uint64_t bytes, std::uint64_t pc);
  void check_thread_storage(Address address, std::uint64_t bytes, std::uint64_t pc);
  void end_storage(const sched::Thread& thread);
  void note_use(const sched::SyncObject& object, std::uint64_t pc);
  void note_first_use(sched::SyncObject& lock, std::uint64_t pc);
  void check_last_unlock(const sched::SyncObject& lock, race::Deed deed, std::uint64_t pc);
  void note_allocated(const heap::Block& block, std::uint64_t pc);
  static constexpr std::uint32_t kMostCandidates = 512;  // offered to the strategy; the newest ones
  memory::Candidate choose_store_among(std::uint32_t count);
  // What choose_store_among does under a uniform strategy.
  memory::Candidate draw_store(std::uint32_t count) {
    const memory::Candidate c =
        memory_.candidate(uniform_->below(count < kMostCandidates ? count : kMostCandidates));
    log_.add([&] {
      return Choice::make(ChoiceKind::kReadsFrom, store_alternatives_hash(memory_.candidates_digest()),
                          ChoiceKey::store(c.writer, c.ordinal));
    });
    return c;
  }
  // … as memory_ asks for it: one of the `count` bits of `ages`.
  [[gnu::always_inline]] std::uint32_t draw_among(const memory::Location& x, std::uint64_t ages,
                                                  std::uint32_t count) {
    const std::uint32_t picked = memory::select_from_top(ages, uniform_->below(count));
    log_.add([&] {
      const memory::Store& store = x.store(x.end - x.capacity + picked);
      return Choice::make(ChoiceKind::kReadsFrom,
                          store_alternatives_hash(memory::MemoryModel::digest_of(x, ages, count)),
                          ChoiceKey::store(store.writer, store.ordinal));
    });
    return picked;
  }
  Event* add_event(EventKind kind, std::uint64_t pc);
  // Of a plain access, or of one that a library makes for the program: then with the call of the library.
  StackId access_stack(std::uint64_t pc) { return events_.is_on() ? stacks_.of_access(pc) : kEmptyStack; }
  static std::uint32_t hash_alternatives(const strategy::ChoicePoint& point);
  std::uint32_t pick(strategy::ChoicePoint& point);
  void note_pace();
  template <bool kDraws>
  void take_turn_as(std::uint64_t pc);
  ThreadId choose_thread(bool can_continue);
  ThreadId choose_in_order(bool can_continue);
  std::uint32_t waiter_in_order(sched::Thread* const* waiters, const ChoiceKey* keys, std::uint32_t count);
  [[noreturn]] void report_infeasible();
  std::uint32_t choose_store_of(std::span<const memory::Candidate> candidates, const std::uint32_t* indices,
                                std::uint32_t count, std::uint32_t fallback, std::uint32_t hash);
  void observe(EventKind kind);
  void observe_access(const sched::PendingOperation& access, const memory::Candidate* read);
  const memory::Candidate& offered(std::uint32_t alternative) const {
    return offered_.candidates[offered_.indices != nullptr ? offered_.indices[alternative] : alternative];
  }
  std::uint32_t thread_alternatives_hash(bool can_continue) const {
    return scheduler_.runnable_hash() + 0x9e3779b9u * index_of(scheduler_.current()) +
           (can_continue ? 1u : 0u);
  }
  // The model's digest stands for the keys of all candidates: it is a function of what has led here.
  std::uint32_t store_alternatives_hash(std::uint32_t digest) const {
    return digest + 0x9e3779b9u * index_of(scheduler_.current());
  }
  // C11Tester §3: consecutive relaxed or release stores of a thread are executed without interruption. Where
  // loads may read older stores that takes no behaviour away, and leaves them more stores to choose from.
  bool continues_burst(sched::Thread& t) const {
    const bool stores =
        t.pending.kind == EventKind::kAtomicStore && bursts_ &&
        (t.pending.order == MemoryOrder::kRelaxed || t.pending.order == MemoryOrder::kRelease);
    const bool continues = stores && t.stores_in_burst;
    t.stores_in_burst = stores;
    return continues;
  }
  // What choose_thread does under a uniform strategy: for a thread that can go on, and for one that cannot.
  ThreadId draw_thread() {
    const ThreadId picked = continues_burst(self()) ? scheduler_.current() : draw_runnable();
    log_thread(picked, true);
    return picked;
  }
  ThreadId draw_other_thread(bool can_continue) {
    if (scheduler_.runnable().size() == 1) return scheduler_.runnable()[0];
    const ThreadId picked = draw_runnable();
    log_thread(picked, can_continue);
    return picked;
  }
  ThreadId draw_runnable() {
    const auto runnable = scheduler_.runnable();
    return runnable[uniform_->below(static_cast<std::uint32_t>(runnable.size()))];
  }
  void log_thread(ThreadId picked, bool can_continue) {
    log_.add([&] {
      return Choice::make(ChoiceKind::kThread, thread_alternatives_hash(can_continue),
                          ChoiceKey::thread(picked));
    });
  }
  void switch_to(ThreadId thread) {
    if (thread == scheduler_.current()) return;
    if (crossings_.watching()) [[unlikely]]
      crossings_.before_switch(self(), next_event());
    scheduler_.switch_to(thread);
    if (crossings_.watching()) [[unlikely]]
      crossings_.after_switch(self());
    resume_epoch();  // on return, the calling thread runs again
  }
  void start_detector();
  void make_room();
  ThreadId next_in_turn() const;
  void hash(EventKind kind, std::uint64_t value) {
    auto& h = channel_.header()->current.trace_hash;
    const std::uint64_t word =
        (std::uint64_t{index_of(scheduler_.current())} << 8 | static_cast<std::uint64_t>(kind)) +
        value * 0x9e3779b97f4a7c15ull;
    h = ((h << 7 | h >> 57) ^ word) * 0xff51afd7ed558ccdull;
  }

  void note_settled(sched::Thread& thread, std::uint64_t pc);
  // blocking.cpp
  class OutsideView;
  bool pass_time();
  void wait_with_spins();
  bool wait_for_sharers();
  void fire_timers();

  // spins.cpp: fairness, and spins that can never end.
  void check_bounds();
  void observe_spin();
  void note_plain_write(Address address, std::uint64_t bytes);
  bool pass_time_of_spin();
  void pass_time_of_sleepers();
  [[noreturn]] void report_livelock();
  std::span<const sched::Thread> threads() const {
    return {scheduler_.all_threads(), scheduler_.thread_count()};
  }

  // The others go on for a while after one has failed (run_on.h).
  [[noreturn]] void run_on(Ending ending, int status);

  // wake_probe.cpp: would a thread that is stuck go on, if it were woken?
  bool probe_waiters();  // true: one was woken, and is to run
  void probe_step();
  void probe_reads();
  void probe_writes(Address address, std::uint64_t bytes);
  void probe_allocates(Address begin, std::uint64_t bytes);
  bool may_be_probed(const sched::Thread& t);
  void begin_probe();
  void end_probe();
  [[noreturn]] void conclude_probe(bool goes_on);

  [[noreturn]] void end_in_deadlock();

  // What one visible operation costs in virtual time. Small against every timeout that programs use.
  static constexpr std::uint64_t kOperationNanoseconds = 10;

  Channel channel_;
  ChoiceLog log_;
  Random* uniform_ = nullptr;  // the strategy's generator, if it draws uniformly
  strategy::Observer* observer_ = nullptr;
  // The stores among which the strategy is choosing: all candidates, or those that `indices` lists.
  struct OfferedStores {
    const memory::Candidate* candidates = nullptr;
    const std::uint32_t* indices = nullptr;
    std::uint32_t count = 0;
  } offered_;
  strategy::Strategy* strategy_ = nullptr;
  bool may_break_off_ = true;  // the strategy may end the execution
  SessionHooks hooks_;
  ProgramHooks program_;
  // What changes all the time lies together: an execution that is put back page by page writes few pages.
  // What a volatile access has left to be done before the thread's next operation; see volatiles.cpp.
  struct PendingVolatile {
    bool is_pending = false;
    bool is_write = false;
    memory::Place place;   // a write: with what memory held before; a read: with what it holds until then
    memory::Value newest;  // a read: what memory has to hold again
    EventId event = kNoEvent;
  };
  PendingVolatile volatile_;
  Random outside_;
  bool begun_ = false;  // the first choice has been reached
  EventLog events_;
  bool probing_ = false;      // every thread waits, and one was woken to see what it does
  bool detecting_ = false;    // the race detector runs
  bool skips_known_ = false;  // … and accesses that it has seen before need not be looked at again
  bool enforcing_ = false;    // there are rules or orders
  Fairness fairness_{spin_watch()};
  bool draws_ = false;   // whose turn it is, is drawn, and there is nothing else to do about it
  bool bursts_ = false;  // loads may read older stores
  std::uint32_t spurious_left_ = 0;
  std::uint32_t timeouts_left_ = 0;  // that come before their time
  std::uint32_t prefix_events_ = 0;
  HistoryClock history_;
  sched::Scheduler scheduler_;
  sched::SyncTable sync_;
  sched::LockGraph locks_;
  memory::MemoryModel memory_;
  race::RaceDetector race_;
  HappensBefore edges_{scheduler_, memory_, race_};
  Crossings crossings_{edges_};
  Rules rules_{edges_};
  ElementTurns elements_{scheduler_, locks_};
  Stacks stacks_{scheduler_, events_};
  RaceReports race_reports_;
  Scene scene_{channel_, scheduler_, sync_, locks_, stacks_, *this};
  SignalDelivery signals_;
  OutsideWorld world_{scheduler_};
  RunOn run_on_;
};

}  // namespace heddle::engine
