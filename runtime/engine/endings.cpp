// How an execution ends, and findings that the mediator makes itself.
#include <signal.h>

#include "core/base/random.h"
#include "core/base/text_buffer.h"
#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/waits.h"

namespace heddle::engine {

using sched::Thread;
using sched::ThreadState;

// Frames are pushed by the instrumented callee with its caller's pc; one whose stack pointer is not above the
// new one's was left by longjmp.
void Execution::enter_function(std::uint64_t caller_pc, std::uint64_t stack_pointer) {
  Thread& t = self();
  while (t.depth > 0 && t.depth <= sched::kMaxCallDepth &&
         t.frames[t.depth - 1].stack_pointer <= stack_pointer) {
    --t.depth;
  }
  if (crossings_.watching()) [[unlikely]]
    enter_from(caller_pc);
  if (t.depth < sched::kMaxCallDepth) t.frames[t.depth] = {caller_pc, stack_pointer};
  ++t.depth;
}

void Execution::fatal(FindingKind kind, const char* message, std::uint64_t pc, int signal) {
  self().last_pc = pc;
  stacks_.note_crash(signal != 0);
  if (program_.failed != nullptr) program_.failed(signal == SIGSEGV || signal == SIGBUS, 0);
  {
    FindingBuilder finding(scene_, kind, message);
    finding.finding().signal = static_cast<std::uint8_t>(signal);
    finding.part(PartRole::kHere, self(), pc);
    finding.cite_other_threads();
    finding.cite_creations();
  }
  if (run_on_.may_begin(spec(), signal, scheduler_.unfinished_count())) {
    // In turns, and nothing is chosen: the log has no more choices.
    fairness_.hold(run_on_.begin(*channel_.header(), Ending::kFinding, signal));
    note_pace();
    scheduler_.block(sched::WaitKind::kPause, 0, sched::kNoDeadline);
    for (;;) run_others();
  }
  finish(Ending::kFinding, signal);
}

void Execution::misuse(FindingKind kind, const char* message, const sched::SyncObject& object,
                       std::uint64_t pc) {
  self().last_pc = pc;
  {
    FindingBuilder finding(scene_, kind, message);
    finding.object_part(PartRole::kHere, self(), pc, object);
    finding.cite_holders(object);
    // A condition variable is misused together with its mutex.
    if (object.kind == sched::SyncKind::kCondition && object.partner != 0) {
      if (const sched::SyncObject* mutex = sync_.find(object.partner)) finding.cite_holders(*mutex);
    }
    finding.cite_origin(object);
    finding.describe_memory(object.address);
    finding.cite_other_threads();
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

void Execution::thread_misuse(const char* message, const Thread& thread, std::uint64_t pc) {
  self().last_pc = pc;
  {
    FindingBuilder finding(scene_, FindingKind::kThreadMisuse, message);
    finding.part(PartRole::kHere, self(), pc).other = thread.id;
    if (thread.settled_pc != 0) {
      FindingPart& settled =
          finding.part(PartRole::kSettled, scheduler_.thread(thread.settled_by), thread.settled_pc);
      settled.stack = thread.settled_stack;
      settled.other = thread.id;
    }
    if (thread.id != kMainThread) {
      FindingPart& created = finding.part(PartRole::kThreadCreated, thread, thread.created_pc);
      created.stack = thread.created_stack;
      created.other = thread.parent;
    }
    finding.cite_other_threads();
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

void Execution::warn(FindingKind kind, const char* message, std::uint64_t pc) {
  FindingBuilder finding(scene_, kind, message);
  finding.part(PartRole::kHere, self(), pc);
  finding.cite_creations();
}

void Execution::finish(Ending ending, int status) {
  probe_leaves();
  settle();
  if (run_on_.is_active()) run_on_.restore(*channel_.header(), ending, status);
  ChannelHeader& h = *channel_.header();
  h.current.choices = choices_.count();
  h.current.events = events_.count();
  hooks_.end(ending, status);
  __builtin_unreachable();
}

void Execution::unsupported(const char* name, const char* advice) {
  TextBuffer<512> text;
  text << name << " is not supported yet under heddle. " << advice;
  channel_.header()->current.message = channel_.add_text(text.c_str(), text.size());
  finish(Ending::kUnsupported, 0);
}

void Execution::stop_at_limit(const char* name, const char* advice) {
  TextBuffer<512> text;
  text << "Limit of heddle's own reached: " << name << ". " << advice;
  channel_.header()->current.flags |= result_flags::kLimit;
  channel_.header()->current.message = channel_.add_text(text.c_str(), text.size());
  finish(Ending::kUnsupported, 0);
}

void Execution::check_at_exit() {
  for (std::uint32_t i = 1; i < scheduler_.thread_count(); ++i) {
    const Thread& t = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(i)});
    if (t.state == ThreadState::kUnused || t.joined || t.detached || t.pooled) continue;
    FindingBuilder finding(scene_, FindingKind::kThreadLeak,
                           t.state == ThreadState::kFinished
                               ? "a thread that has finished was neither joined nor detached"
                               : "a thread is still running at exit and was neither joined nor detached");
    FindingPart& p = finding.part(PartRole::kHere, t, t.created_pc);
    p.stack = t.created_stack;
    p.role = PartRole::kThreadCreated;
    p.other = t.parent;
  }
}

void Execution::note_text(EventKind kind, const char* text, std::uint64_t pc) {
  if (Event* e = record(kind, pc)) e->text = channel_.add_text(text, strlen(text));
}

void Execution::note_outcome(const char* text) {
  ChannelHeader& h = *channel_.header();
  const std::size_t length = strlen(text);
  // The text and not its place in the table, which depends on what this worker has run before.
  std::uint64_t text_hash = length;
  for (std::size_t i = 0; i < length; ++i) text_hash = mix(text_hash, static_cast<unsigned char>(text[i]));
  done(EventKind::kOutcome, text_hash);
  std::uint32_t found = h.outcome_count;
  for (std::uint32_t i = 0; i < h.outcome_count; ++i) {
    const char* known = channel_.outcome_text() + h.outcome_at[i];
    if (strlen(known) == length && memcmp(known, text, length) == 0) {
      found = i;
      break;
    }
  }
  if (found == h.outcome_count) {
    if (found >= kMaxOutcomes || h.outcome_text_used + length + 1 > h.outcome_text.bytes) return;
    memcpy(channel_.outcome_text() + h.outcome_text_used, text, length + 1);
    h.outcome_at[found] = h.outcome_text_used;
    h.outcome_text_used += static_cast<std::uint32_t>(length + 1);
    ++h.outcome_count;
  }
  for (std::uint32_t& slot : h.current.outcomes) {
    if (slot == 0) {
      slot = found + 1;
      break;
    }
  }
}

}  // namespace heddle::engine
