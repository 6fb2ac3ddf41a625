// Threads of the tested program: creation, end, join, and what time it is for them.
#include <cerrno>

#include "core/trace/event.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using sched::Thread;
using sched::ThreadState;
using sched::WaitKind;

namespace {

// The engine that fibers belong to; set by the first creation, the same for all of them.
Execution* creator = nullptr;

void note_settled(Thread& t, const sched::CodePlace& place) {
  t.settled_pc = place.pc;
  t.settled_stack = place.stack;
  t.settled_by = place.thread;
}

void thread_main(void* argument) {
  auto& t = *static_cast<Thread*>(argument);
  Execution& execution = *creator;
  execution.begin_thread(t);
  execution.end_thread(t.start(t.argument));
}

}  // namespace

Thread* Execution::create_thread(void* (*entry)(void*), void* argument, const sched::StackRequest& stack,
                                 bool detached, std::uint64_t pc) {
  creator = this;
  visible({EventKind::kThreadCreate, MemoryOrder::kRelaxed, 0, 0, pc});
  if (!choosing()) hooks_.threads_begin();
  Thread* t;
  {
    RuntimeScope scope;
    t = scheduler_.create(stack, thread_main);
  }
  if (t == nullptr) return nullptr;
  memory_.thread_created(scheduler_.current(), t->id);
  race_.clocks_moved();
  race_.thread_begins(t->id, memory_.epoch(t->id).time);
  locks_.created(scheduler_.current(), t->id);
  if (strategy::Observer* o = choices_.observer()) o->created(scheduler_.current(), t->id);
  enter_epoch();
  t->start = entry;
  t->argument = argument;
  t->detached = detached;
  t->created_pc = pc;
  if (enforcing_) rules_.note_created(self(), *t, pc, stacks_.innermost_place(self()));
  t->frames[0] = {};
  t->last_pc = reinterpret_cast<std::uint64_t>(entry) + 1;
  t->pending = {EventKind::kThreadStart, MemoryOrder::kRelaxed, 0, 0, t->last_pc};
  t->created_stack = stack_of(self());
  channel_.header()->current.threads = static_cast<std::uint16_t>(scheduler_.thread_count());
  changed();
  done(EventKind::kThreadCreate, index_of(t->id));
  if (Event* e = record(EventKind::kThreadCreate, pc)) e->other = t->id;
  return t;
}

void Execution::begin_thread(Thread& t) {
  enter_epoch();
  if (enforcing_) rules_.note_start(t);
  record(EventKind::kThreadStart, t.last_pc);
}

void Execution::run_exit_handlers() {
  Thread& t = self();
  // A destructor may register more; the newest goes first ([basic.start.term]).
  while (t.exit_handlers != nullptr) {
    sched::ExitHandler* handler = t.exit_handlers;
    t.exit_handlers = handler->next;
    handler->function(handler->argument);
    RuntimeScope scope;
    program_heap().release(heap::kRuntimePart, program_heap().block_at(handler), {});
  }
}

void Execution::end_thread(void* result) {
  Thread& t = self();
  t.result = result;
  // It has been in no function that was built by heddle: what it did with memory was not seen.
  if (t.frames[0].pc == 0 && t.start != nullptr && !is_instrumented(reinterpret_cast<std::uint64_t>(t.start)))
    note_flag(result_flags::kForeignThread);
  visible({EventKind::kThreadEnd, MemoryOrder::kRelaxed, 0, 0, t.last_pc});
  record(EventKind::kThreadEnd, t.last_pc);
  done(EventKind::kThreadEnd, 0);
  changed();
  leave_locks();
  if (enforcing_) rules_.note_end(t);
  end_storage(t);
  memory_.thread_finished(t.id);
  scheduler_.finish_current();
  scheduler_.wake_all(WaitKind::kJoin, scheduler_.handle_of(t));
  if (scheduler_.unfinished_count() == 0) finish(Ending::kExited, 0);
  run_others();
  HEDDLE_CHECK(!"a finished thread ran again");
  __builtin_unreachable();
}

int Execution::join_thread(std::uint64_t handle, void** result, std::uint64_t deadline, bool only_try,
                           std::uint64_t pc) {
  visible({EventKind::kThreadJoin, MemoryOrder::kRelaxed, 0, handle, pc});
  Thread* t = scheduler_.find(handle);
  if (t == nullptr) fatal(FindingKind::kThreadMisuse, "join of a handle that no thread has", pc);
  if (t->joined) thread_misuse("join of a thread that was already joined", *t, pc);
  if (t->detached) thread_misuse("join of a detached thread", *t, pc);
  if (t == &self()) thread_misuse("a thread joins itself", *t, pc);
  sched::SyncObject* given_back = enforcing_ && deadline == sched::kNoDeadline
                                      ? rules_.given_back_at(self(), pc, stacks_.innermost_place(self()))
                                      : nullptr;
  if (given_back != nullptr) mutex_unlock(*given_back, pc);
  while (t->state != ThreadState::kFinished) {
    if (only_try) return EBUSY;
    // Until then it can do nothing, and afterwards it knows what that thread knew: nothing is kept for it.
    if (deadline == sched::kNoDeadline) memory_.thread_waits_for(scheduler_.current(), t->id);
    if (!wait(WaitKind::kJoin, handle, deadline, t->id)) return ETIMEDOUT;
    memory_.thread_waits_for(scheduler_.current(), kNoThread);
    if (self().interrupted && self().cancel_broke_wait) {
      if (given_back != nullptr) mutex_lock(*given_back, pc);
      return EINTR;
    }
  }
  if (given_back != nullptr) mutex_lock(*given_back, pc);
  if (result != nullptr) *result = t->result;
  scheduler_.retire(*t);
  note_settled(*t, place(pc));
  memory_.thread_joined(scheduler_.current(), t->id);
  locks_.joined(scheduler_.current(), t->id);
  if (strategy::Observer* o = choices_.observer()) o->joined(scheduler_.current(), t->id);
  enter_epoch();
  done(EventKind::kThreadJoin, index_of(t->id));
  if (Event* e = record(EventKind::kThreadJoin, pc)) e->other = t->id;
  return 0;
}

void Execution::begin_check() {
  leave_prefix();
  for (std::uint32_t i = 0; i < scheduler_.thread_count(); ++i)
    scheduler_.thread(ThreadId{static_cast<std::uint16_t>(i)}).precedes_check = true;
}

void Execution::end_check() {
  for (std::uint32_t i = 0; i < scheduler_.thread_count(); ++i) {
    const Thread& t = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(i)});
    while (!t.precedes_check && (t.state == ThreadState::kRunnable || t.state == ThreadState::kBlocked))
      wait(WaitKind::kJoin, scheduler_.handle_of(t), sched::kNoDeadline, t.id);
  }
}

int Execution::detach_thread(std::uint64_t handle, std::uint64_t pc) {
  Thread* t = scheduler_.find(handle);
  if (t == nullptr) fatal(FindingKind::kThreadMisuse, "detach of a handle that no thread has", pc);
  if (t->joined) thread_misuse("detach of a thread that was already joined", *t, pc);
  if (t->detached) thread_misuse("detach of a thread that is already detached", *t, pc);
  t->detached = true;
  note_settled(*t, place(pc));
  if (Event* e = record(EventKind::kThreadDetach, pc)) e->other = t->id;
  return 0;
}

int Execution::cancel_thread(std::uint64_t handle, std::uint64_t pc) {
  visible({EventKind::kThreadCancel, MemoryOrder::kRelaxed, 0, handle, pc});
  Thread* t = scheduler_.find(handle);
  if (t == nullptr || t->joined) return ESRCH;
  changed();
  done(EventKind::kThreadCancel, index_of(t->id));
  if (Event* e = record(EventKind::kThreadCancel, pc)) e->other = t->id;
  if (t->cancel_requested || t->exiting || t->state == ThreadState::kFinished) return 0;
  t->cancel_requested = true;
  edges_.release(t->message_clock);
  if (t->state == ThreadState::kBlocked && !t->cancel_disabled && t->at_cancellation_point &&
      sched::can_be_broken_off(t->wait)) {
    scheduler_.make_runnable(*t);
    t->interrupted = t->cancel_broke_wait = true;
    t->timed_out = false;
  }
  return 0;
}

void Execution::accept_cancel() {
  Thread& t = self();
  t.cancel_disabled = true;
  t.cancel_broke_wait = t.at_cancellation_point = t.cancel_before_effect = false;
  edges_.acquire(t.message_clock, t.id);
}

void Execution::yield(std::uint64_t pc) {
  visible({EventKind::kYield, MemoryOrder::kRelaxed, 0, 0, pc});
  done(EventKind::kYield, 0);
  record(EventKind::kYield, pc);
}

// A sleep may end at any moment as the other threads see it, so the sleeper stays among those that can be
// chosen; by the time it runs, its time has passed. Not so with --sleep timed, and while there are child
// processes, whom the sleep gives real time.
void Execution::sleep_until(std::uint64_t time, std::uint64_t pc) {
  visible({EventKind::kSleep, MemoryOrder::kRelaxed, 0, 0, pc});
  if ((spec().sleep == SleepKind::kTimed || world_.has_children()) && time > scheduler_.now()) {
    const std::uint32_t handled = self().handlers_run;
    wait(WaitKind::kPause, 0, time);
    if (self().handlers_run == handled && !self().cancel_broke_wait) scheduler_.advance_to(time);
  } else {
    scheduler_.advance_to(time);
  }
  fairness_.slept();
  done(EventKind::kSleep, 0);
  if (Event* e = record(EventKind::kSleep, pc)) e->value = time;
}

std::uint64_t Execution::read_clock() {
  scheduler_.advance(fairness_.clock_moves());
  return scheduler_.now();
}

}  // namespace heddle::engine
