// Deadlocks: who waits for whom. A circle of untimed waits is reported as soon as it closes; when nothing can
// run any more, everything that waits is part of the report.
#include "core/base/text_buffer.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using sched::Thread;
using sched::ThreadState;
using sched::WaitKind;

bool Execution::find_cycle(ThreadId from, ThreadId* cycle, std::uint32_t& length) const {
  constexpr std::uint32_t kMost = kMaxFindingParts / 2;
  length = 0;
  ThreadId at = from;
  do {
    const Thread& t = scheduler_.thread(at);
    if (t.state != ThreadState::kBlocked || t.deadline != sched::kNoDeadline || t.waits_for == kNoThread)
      return false;
    if (length == kMost)
      return false;  // a circle that does not lead back to `from`: reported by its own members
    cycle[length++] = at;
    at = t.waits_for;
  } while (at != from);
  return true;
}

void Execution::cite_cycle(FindingBuilder& finding, const ThreadId* cycle, std::uint32_t length) {
  for (std::uint32_t i = 0; i < length; ++i) {
    const Thread& t = scheduler_.thread(cycle[i]);
    FindingPart& waits = finding.part(PartRole::kBlockedThread, t, t.last_pc);
    waits.address = t.wait_object;
    waits.other = t.waits_for;
    sched::SyncObject* object = sync_.find(t.wait_object);
    if (t.wait == WaitKind::kJoin || object == nullptr) continue;
    FindingPart& held = finding.part(PartRole::kHolds, scheduler_.thread(t.waits_for), object->where_pc);
    held.address = object->address;
    held.stack = object->where_stack;
  }
}

// What a thread in a system call waits for, in words; 0 for other waits.
std::uint32_t Execution::describe_outside_wait(const Thread& t) const {
  TextBuffer<160> text;
  if (t.wait == WaitKind::kPause) {
    text << "a signal that nobody is left to send";
  } else if (t.wait == WaitKind::kOutside) {
    const sched::BlockingCall& call = *t.blocking_call;
    text << call.name;
    if (call.descriptor >= 0) {
      text << " on descriptor ";
      text.decimal(call.descriptor) << ", whose other end only this program holds";
    } else if (call.polled_count != 0) {
      text << " on descriptor";
      for (std::uint32_t i = 0; i < call.polled_count && i < 8; ++i) {
        text << (i == 0 ? " " : ", ");
        text.decimal(call.polled[i].fd);
      }
    }
  } else {
    return 0;
  }
  return channel_.add_text(text.c_str(), text.size());
}

void Execution::report_deadlock() {
  ThreadId cycle[kMaxFindingParts / 2];
  std::uint32_t length = 0;
  bool circle = false;
  for (std::uint32_t i = 0; i < scheduler_.thread_count() && !circle; ++i) {
    circle = find_cycle(ThreadId{static_cast<std::uint16_t>(i)}, cycle, length);
  }
  // Without a circle somebody waits for a signal that nobody is left to give. If it was given before the wait
  // began, it was lost.
  const sched::SyncObject* lost = nullptr;
  const Thread* loser = nullptr;
  scheduler_.for_each_blocked([&](Thread& t) {
    const sched::SyncObject* object = sync_.find(t.wait_object);
    if (t.wait == WaitKind::kCondition && object != nullptr && object->unheard != 0) {
      lost = object;
      loser = &t;
    }
  });
  if (!circle && lost != nullptr) {
    FindingBuilder finding(
        *this, FindingKind::kLostWakeUp,
        "a thread waits on a condition variable that was signalled only while nobody waited, and "
        "no thread is left to signal it again");
    finding.part(PartRole::kHere, *loser, loser->last_pc).address = lost->address;
    finding.cite_other_threads();
    finding.cite_creations();
  } else {
    TextBuffer<256> text;
    if (circle) {
      text << "a circle of ";
      text.decimal(length) << (length == 1 ? " thread waits for itself" : " threads wait for each other");
    } else {
      text << "every thread waits and nothing can wake any of them";
    }
    FindingBuilder finding(*this, FindingKind::kDeadlock, text.c_str());
    if (circle) {
      cite_cycle(finding, cycle, length);
    } else {
      scheduler_.for_each_blocked([&](Thread& t) {
        FindingPart& p = finding.part(PartRole::kBlockedThread, t, t.last_pc);
        p.address = t.wait_object;
        p.other = t.waits_for;
        p.text = describe_outside_wait(t);
      });
    }
    finding.cite_other_threads();
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

}  // namespace heddle::engine
