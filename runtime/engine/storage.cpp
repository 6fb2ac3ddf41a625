// Uses of memory and of objects that have ended, have not begun, or race: what the mediator asks the detector.
#include "core/base/text_buffer.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using race::Deed;

void Execution::report_race(const race::Race& race) {
  if (probe_.is_active()) {
    const AccessKind kind = race.current.kind;
    const bool reads = kind == AccessKind::kRead || kind == AccessKind::kAtomicRead;
    return reads && race.current.deed == Deed::kAccess ? probe_.note_news() : void();
  }
  // The execution has come to an end of the storage before this access: that is worse than a race.
  if (race.previous.deed == Deed::kFree && race.current.deed != Deed::kFree)
    check_not_freed(race.address, race.current.size, race.current.pc);
  if (race.previous.deed == Deed::kEnd) check_not_freed(race.address, race.current.size, race.current.pc);
  if (spec().visible.silences(race.current.pc, race.address, 1)) return;
  if (race_reports_.is_news(race)) RaceReports::report(scene_, race);
}

void Execution::report_freed(Address address, std::uint64_t bytes, std::uint64_t pc) {
  report_use_after_free(scene_, address, bytes, pc);
  finish(Ending::kFinding, 0);
}

// Main's stack is not looked at: the system keeps it until the process ends, and programs that let main end
// by pthread_exit rely on that.
void Execution::check_thread_storage(Address address, std::uint64_t bytes, std::uint64_t pc) {
  const sched::Thread& running = self();
  if (address - running.stack_low < running.stack_top - running.stack_low) return;
  const sched::Thread* owner = scheduler_.ended_owner(address);
  if (owner == nullptr) return;
  report_use_after_end(scene_, *owner, address, bytes, pc);
  finish(Ending::kFinding, 0);
}

// Called while the thread is still in its last epoch: whoever joins it comes after. A stack that the program
// has given is the program's own memory again once the thread has been joined.
void Execution::end_storage(const sched::Thread& t) {
  if (!plain_.detecting()) return;
  const bool own_stack = t.stack_low == t.ghost.stack_low;
  const Address begin = own_stack ? t.ghost.stack_low : reinterpret_cast<Address>(t.ghost.stack_top);
  const Address end = t.ghost.stack_low + t.ghost.stack_bytes;
  if (const race::Race* race = race_.on_end(begin, end - begin, t.last_pc, access_stack(t.last_pc)))
    report_race(*race);
}

// The use of an object by an operation on it, once that has acquired and before it releases.
void Execution::note_use(const sched::SyncObject& object, std::uint64_t pc) {
  check_not_freed(object.address, 1, pc);
  if (object.destroyed) {
    TextBuffer<160> text;
    text << "use of " << sched::article_of(object.kind) << sched::noun_of(object.kind)
         << " that was destroyed";
    misuse(misuse_of(object.kind), text.c_str(), object, pc);
  }
  if (!plain_.detecting() || !is_program_call(pc)) return;
  if (const race::Race* race = race_.on_use(object.address, pc, access_stack(pc))) report_race(*race);
}

// Locks and unlocks happen too often to tell the detector of each, but what the last unlock released is
// known.
void Execution::check_last_unlock(const sched::SyncObject& lock, race::Deed deed, std::uint64_t pc) {
  const bool is_lock = lock.kind == sched::SyncKind::kMutex || lock.kind == sched::SyncKind::kSpinLock;
  if (!plain_.detecting() || !is_lock || lock.clock == 0 || !is_program_call(pc)) return;
  const ThreadId holder = edges_.unknown_owner(lock.clock);
  if (holder == kNoThread) return;
  report_race(race_with_unlock(scene_, lock, holder, deed, pc));
}

}  // namespace heddle::engine
