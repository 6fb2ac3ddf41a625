#include "runtime/engine/finding_builder.h"

#include <signal.h>

#include <initializer_list>

#include "core/base/random.h"
#include "core/base/text_buffer.h"
#include "runtime/engine/call_stack.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/debugger.h"

namespace heddle::engine {

using sched::Thread;
using sched::ThreadState;

namespace {

// A place in code that is the same in every process of a campaign, wherever the module was loaded.
std::uint64_t place_of(const ChannelHeader& h, std::uint64_t pc) {
  for (std::uint32_t i = 0; i < h.module_count; ++i) {
    const Module& m = h.modules[i];
    if (pc >= m.begin && pc < m.end) return mix(i, pc - m.base);
  }
  return pc;
}

void note_signature(ExecutionResult& result, std::uint64_t signature) {
  if (result.signature == 0) result.signature = signature;
  if (result.signature == signature) return;
  for (std::uint64_t& other : result.more_signatures) {
    if (other == signature) return;
    if (other != 0) continue;
    other = signature;
    return;
  }
}

bool decides(PartRole role) {
  // The earlier access of a race is known only when the execution is run again to be explained.
  return role == PartRole::kHere || role == PartRole::kAccess || role == PartRole::kBlockedThread;
}

}  // namespace

FindingBuilder::FindingBuilder(Execution& execution, FindingKind kind, const char* message)
    : execution_(execution), finding_(&overflow_) {
  const Channel channel = execution.channel();
  const std::uint32_t at = channel.header()->finding_count.load(std::memory_order_relaxed);
  if (at < channel.finding_capacity()) finding_ = &channel.findings()[at];
  *finding_ = Finding{};
  finding_->kind = kind;
  finding_->severity = severity_of(kind);
  finding_->message = channel.add_text(message, strlen(message));
  if (Event* e = execution.record(EventKind::kFinding, execution.self().last_pc)) {
    e->text = finding_->message;
    finding_->event = EventId{channel.header()->event_count.load(std::memory_order_relaxed) - 1};
    about_to_report(static_cast<std::uint32_t>(kind));
  }
}

FindingBuilder::~FindingBuilder() {
  ChannelHeader& h = *execution_.channel().header();
  std::uint64_t signature = mix(0x66696e64696e67ull, static_cast<std::uint64_t>(finding_->kind));
  // The same threads may meet in another order: the sum does not depend on it.
  for (std::uint32_t i = 0; i < finding_->part_count; ++i) {
    const FindingPart& p = finding_->parts[i];
    if (decides(p.role)) signature += mix(1, place_of(h, p.pc));
  }
  finding_->signature = signature;
  h.current.findings = static_cast<std::uint8_t>(h.current.findings + 1);
  if (finding_->severity == Severity::kBug) note_signature(h.current, signature);
  if (finding_ != &overflow_) h.finding_count.fetch_add(1, std::memory_order_release);
}

FindingPart& FindingBuilder::part(PartRole role, const Thread& thread, std::uint64_t pc) {
  std::uint32_t at = finding_->part_count;
  if (at < kMaxFindingParts) {
    ++finding_->part_count;
  } else {
    at = kMaxFindingParts - 1;
  }
  FindingPart& p = finding_->parts[at];
  p = FindingPart{};
  p.role = role;
  p.thread = thread.id;
  p.pc = pc;
  p.stack = execution_.stack_of(thread);
  return p;
}

FindingPart& FindingBuilder::object_part(PartRole role, const Thread& thread, std::uint64_t pc,
                                         const sched::SyncObject& object) {
  FindingPart& p = part(role, thread, pc);
  const char* noun = sched::noun_of(object.kind);
  p.address = object.address;
  p.text = execution_.channel().add_text(noun, strlen(noun));
  return p;
}

FindingPart& FindingBuilder::wait_part(PartRole role, const Thread& t) {
  const sched::SyncObject* object = execution_.waited_object(t);
  const bool futex = t.wait == sched::WaitKind::kFutex;
  FindingPart& p =
      object != nullptr && !futex ? object_part(role, t, t.last_pc, *object) : part(role, t, t.last_pc);
  p.address = t.wait == sched::WaitKind::kJoin ? 0 : t.wait_object;
  p.other = t.waits_for;
  if (futex) {
    const char* noun = sched::noun_of(sched::SyncKind::kFutex);
    p.text = execution_.channel().add_text(noun, strlen(noun));
  }
  if (const std::uint32_t outside = execution_.describe_outside_wait(t); outside != 0) p.text = outside;
  return p;
}

void FindingBuilder::cite_holders(const sched::SyncObject& object, ThreadId owner) {
  bool cited_owner = false;
  sched::Scheduler& s = execution_.scheduler();
  for (std::uint32_t i = 0; i < s.thread_count() && finding_->part_count + 2u < kMaxFindingParts; ++i) {
    const ThreadId id{static_cast<std::uint16_t>(i)};
    for (const sched::HeldLock& held : execution_.locks().held(id)) {
      if (held.lock != &object || held.serial != object.serial) continue;
      object_part(PartRole::kHolds, s.thread(id), held.taken.pc, object).stack = held.taken.stack;
      cited_owner = cited_owner || id == owner || id == object.owner;
      break;
    }
  }
  // What is held otherwise than as a lock: an initialiser that runs; and a lock whose holder has ended.
  const ThreadId holder = owner != kNoThread ? owner : object.owner;
  if (cited_owner || holder == kNoThread || object.where_pc == 0) return;
  object_part(PartRole::kHolds, s.thread(holder), object.where_pc, object).stack = object.where_stack;
}

void FindingBuilder::cite_origin(const sched::SyncObject& object) {
  for (const sched::CodePlace* place : {&object.made, &object.gone}) {
    if (place->pc == 0) continue;
    const PartRole role = place == &object.made ? PartRole::kInitialised : PartRole::kDestroyed;
    object_part(role, execution_.scheduler().thread(place->thread), place->pc, object).stack = place->stack;
  }
}

void FindingBuilder::cite_other_threads() {
  sched::Scheduler& s = execution_.scheduler();
  for (std::uint32_t i = 0; i < s.thread_count(); ++i) {
    const Thread& t = s.thread(ThreadId{static_cast<std::uint16_t>(i)});
    if (t.state == ThreadState::kFinished || t.state == ThreadState::kUnused) continue;
    bool cited = false;
    for (std::uint32_t k = 0; k < finding_->part_count; ++k) {
      const PartRole role = finding_->parts[k].role;
      const bool present = role == PartRole::kHere || role == PartRole::kAccess ||
                           role == PartRole::kBlockedThread || role == PartRole::kWaits;
      if (finding_->parts[k].thread == t.id && present) cited = true;
    }
    if (cited || finding_->part_count + 2u >= kMaxFindingParts) continue;
    if (t.state == ThreadState::kBlocked) {
      wait_part(PartRole::kWaits, t);
    } else {
      part(PartRole::kRunningThread, t, t.last_pc);
    }
  }
}

void FindingBuilder::cite_creations() {
  sched::Scheduler& s = execution_.scheduler();
  const std::uint32_t cited = finding_->part_count;
  for (std::uint32_t i = 0; i < cited && finding_->part_count + 1u < kMaxFindingParts; ++i) {
    const ThreadId id = finding_->parts[i].thread;
    if (id == kMainThread || id == kNoThread) continue;
    bool done = false;
    for (std::uint32_t k = 0; k < finding_->part_count; ++k) {
      const FindingPart& other = finding_->parts[k];
      done = done || (other.thread == id && other.role == PartRole::kThreadCreated);
    }
    if (done) continue;
    const Thread& t = s.thread(id);
    FindingPart& p = part(PartRole::kThreadCreated, t, t.created_pc);
    p.stack = t.created_stack;
    p.other = t.parent;
  }
}

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

namespace {

// Where the thread's innermost instrumented function has called the library that it is in now: the return
// address. The function called __tsan_func_entry with the stack pointer that it has had ever since, so that
// this lies where that call's return address lay, or a little below where arguments were passed on the stack.
std::uint64_t call_site(const Thread& thread) {
  constexpr std::uint32_t kMostArguments = 16;
  if (thread.depth == 0 || thread.depth > sched::kMaxCallDepth) return 0;
  const auto* slot =
      reinterpret_cast<const std::uint64_t*>(thread.frames[thread.depth - 1].stack_pointer + 8);
  for (std::uint32_t i = 0; i < kMostArguments; ++i) {
    if (is_instrumented(slot[-static_cast<int>(i)])) return slot[-static_cast<int>(i)];
  }
  return 0;
}

}  // namespace

StackId Execution::stack_of(const Thread& thread) {
  if (!recording_) return shadow_stack_of(thread);
  // Unwinding would take most of the time of a symbolic trace. What its findings are known by is found
  // without.
  if (spec().symbolic != 0) {
    const StackId shadow = shadow_stack_of(thread);
    const bool in_library = thread.last_pc != 0 && caller_at(thread.last_pc) != Caller::kInstrumented;
    const std::uint64_t site = in_library ? call_site(thread) : 0;
    return site != 0 ? channel_.stacks()->push(shadow, site) : shadow;
  }
  if (&thread != &self() || is_past_probe_)
    return thread.pending_stack != kEmptyStack ? thread.pending_stack : shadow_stack_of(thread);
  if (crashing_ || unwound_ == kMostUnwound) return shadow_stack_of(thread);
  ++unwound_;
  RuntimeScope scope;  // the unwinder takes a mutex
  const StackId unwound = unwound_callers(*channel_.stacks());
  return unwound != kEmptyStack ? unwound : shadow_stack_of(thread);
}

// The frames of the thread's outermost `depth` functions.
StackId Execution::stack_below(const Thread& thread, std::uint32_t depth) {
  // Deep recursion: the outermost and the innermost frames tell the story.
  constexpr std::uint32_t kMost = 64;
  StackDepot& depot = *channel_.stacks();
  StackId id = kEmptyStack;
  for (std::uint32_t i = 0; i < depth; ++i) {
    if (depth > kMost && i == kMost / 2) i = depth - kMost / 2;
    id = depot.push(id, thread.frames[i].pc);
  }
  return id;
}

StackId Execution::shadow_stack_of(const Thread& thread) {
  return stack_below(thread, thread.depth < sched::kMaxCallDepth ? thread.depth : sched::kMaxCallDepth);
}

StackId Execution::access_stack_at(std::uint64_t pc) {
  const StackId id = shadow_stack_of(self());
  if (caller_at(pc) == Caller::kInstrumented) return inside_function(id);
  const std::uint64_t site = call_site(self());
  return inside_function(site != 0 ? channel_.stacks()->push(id, site) : id);
}

StackId Execution::inside_function(StackId stack) {
  return accessing_function_ != 0 && recording_
             ? channel_.stacks()->push(stack, accessing_function_ | kCalledFunction)
             : stack;
}

std::uint64_t Execution::innermost_place(const Thread& thread) {
  if (thread.last_pc != 0 && caller_at(thread.last_pc) == Caller::kInstrumented) return thread.last_pc;
  return call_site(thread);
}

void Execution::fatal(FindingKind kind, const char* message, std::uint64_t pc, int signal) {
  self().last_pc = pc;
  crashing_ = signal != 0;
  if (program_.failed != nullptr) program_.failed(signal == SIGSEGV || signal == SIGBUS, 0);
  {
    FindingBuilder finding(*this, kind, message);
    finding.finding().signal = static_cast<std::uint8_t>(signal);
    finding.part(PartRole::kHere, self(), pc);
    finding.cite_other_threads();
    finding.cite_creations();
  }
  if (run_on_.may_begin(spec(), signal, scheduler_.unfinished_count())) run_on(Ending::kFinding, signal);
  finish(Ending::kFinding, signal);
}

void Execution::misuse(FindingKind kind, const char* message, const sched::SyncObject& object,
                       std::uint64_t pc) {
  self().last_pc = pc;
  {
    FindingBuilder finding(*this, kind, message);
    finding.object_part(PartRole::kHere, self(), pc, object);
    finding.cite_holders(object);
    // A condition variable is misused together with its mutex.
    if (object.kind == sched::SyncKind::kCondition && object.partner != 0) {
      if (const sched::SyncObject* mutex = sync_.find(object.partner)) finding.cite_holders(*mutex);
    }
    finding.cite_origin(object);
    describe_memory(finding, object.address);
    finding.cite_other_threads();
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

void Execution::thread_misuse(const char* message, const Thread& thread, std::uint64_t pc) {
  self().last_pc = pc;
  {
    FindingBuilder finding(*this, FindingKind::kThreadMisuse, message);
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
  FindingBuilder finding(*this, kind, message);
  finding.part(PartRole::kHere, self(), pc);
  finding.cite_creations();
}

void Execution::finish(Ending ending, int status) {
  probe_leaves();
  settle();
  if (run_on_.is_active()) run_on_.restore(*channel_.header(), ending, status);
  ChannelHeader& h = *channel_.header();
  h.current.choices = log_.count();
  h.current.events = h.event_count.load(std::memory_order_relaxed);
  hooks_.end(ending, status);
  __builtin_unreachable();
}

// In turns, and nothing is chosen: the log has no more choices.
void Execution::run_on(Ending ending, int status) {
  fairness_.hold(run_on_.begin(*channel_.header(), ending, status));
  note_pace();
  scheduler_.block(sched::WaitKind::kPause, 0, sched::kNoDeadline);
  for (;;) run_others();
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
    FindingBuilder finding(*this, FindingKind::kThreadLeak,
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
