#include "runtime/engine/finding_builder.h"

#include <initializer_list>

#include "core/base/random.h"
#include "core/trace/event.h"
#include "runtime/engine/debugger.h"
#include "runtime/engine/waits.h"

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

FindingBuilder::FindingBuilder(const Scene& scene, FindingKind kind, const char* message)
    : scene_(scene), finding_(&overflow_) {
  const Channel& channel = scene.channel;
  const std::uint32_t at = channel.header()->finding_count.load(std::memory_order_relaxed);
  if (at < channel.finding_capacity()) finding_ = &channel.findings()[at];
  *finding_ = Finding{};
  finding_->kind = kind;
  finding_->severity = severity_of(kind);
  finding_->message = scene.text(message);
  if (Event* e = scene.host.record_finding()) {
    e->text = finding_->message;
    finding_->event = EventId{channel.header()->event_count.load(std::memory_order_relaxed) - 1};
    about_to_report(static_cast<std::uint32_t>(kind));
  }
}

FindingBuilder::~FindingBuilder() {
  ChannelHeader& h = *scene_.channel.header();
  std::uint64_t signature = mix(0x66696e64696e67ull, static_cast<std::uint64_t>(finding_->kind));
  // The signature is a sum over the parts: in another execution the threads may meet in another order.
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
  p.stack = scene_.stacks.of(thread);
  return p;
}

FindingPart& FindingBuilder::object_part(PartRole role, const Thread& thread, std::uint64_t pc,
                                         const sched::SyncObject& object) {
  FindingPart& p = part(role, thread, pc);
  p.address = object.address;
  p.text = scene_.text(sched::noun_of(object.kind));
  return p;
}

FindingPart& FindingBuilder::wait_part(PartRole role, const Thread& t) {
  const sched::SyncObject* object = waited_object(scene_, t);
  const bool futex = t.wait == sched::WaitKind::kFutex;
  FindingPart& p =
      object != nullptr && !futex ? object_part(role, t, t.last_pc, *object) : part(role, t, t.last_pc);
  p.address = t.wait == sched::WaitKind::kJoin ? 0 : t.wait_object;
  p.other = t.waits_for;
  if (futex) p.text = scene_.text(sched::noun_of(sched::SyncKind::kFutex));
  if (const std::uint32_t outside = describe_outside_wait(scene_, t); outside != 0) p.text = outside;
  return p;
}

void FindingBuilder::cite_holders(const sched::SyncObject& object, ThreadId owner) {
  bool cited_owner = false;
  const sched::Scheduler& s = scene_.scheduler;
  for (std::uint32_t i = 0; i < s.thread_count() && finding_->part_count + 2u < kMaxFindingParts; ++i) {
    const ThreadId id{static_cast<std::uint16_t>(i)};
    for (const sched::HeldLock& held : scene_.locks.held(id)) {
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

void FindingBuilder::cite_wait(const Thread& t) {
  wait_part(PartRole::kBlockedThread, t);
  if (const sched::SyncObject* object = waited_object(scene_, t)) cite_holders(*object, t.waits_for);
}

void FindingBuilder::cite_origin(const sched::SyncObject& object) {
  for (const sched::CodePlace* place : {&object.made, &object.gone}) {
    if (place->pc == 0) continue;
    const PartRole role = place == &object.made ? PartRole::kInitialised : PartRole::kDestroyed;
    object_part(role, scene_.thread(place->thread), place->pc, object).stack = place->stack;
  }
}

void FindingBuilder::cite_other_threads() {
  const sched::Scheduler& s = scene_.scheduler;
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
  const sched::Scheduler& s = scene_.scheduler;
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

}  // namespace heddle::engine
