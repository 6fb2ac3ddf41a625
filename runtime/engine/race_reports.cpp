// What the race detector and the checks of storage have found, as findings.
#include "core/base/random.h"
#include "core/base/text_buffer.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using race::Deed;
using race::RaceAccess;

namespace {

AccessKind kind_of(const RaceAccess& access, bool destroys) {
  switch (access.deed) {
    case Deed::kAllocation:
      return AccessKind::kAllocation;
    case Deed::kFree:
      return AccessKind::kFree;
    case Deed::kEnd:
      return destroys ? AccessKind::kDestruction : AccessKind::kThreadEnd;
    case Deed::kUse:
      return AccessKind::kObjectUse;
    case Deed::kAccess:
      break;
  }
  return access.kind;
}

bool has(const race::Race& race, Deed deed) {
  return race.current.deed == deed || race.previous.deed == deed;
}

const char* race_message(const race::Race& race, const sched::SyncObject* object) {
  if (object != nullptr && has(race, Deed::kUse)) {
    if (has(race, Deed::kFree))
      return "the memory of a synchronisation object is freed, and a use of the object is not ordered";
    if (has(race, Deed::kEnd)) return "a synchronisation object ends, and a use of it is not ordered";
    return "a synchronisation object is used, and its initialisation is not ordered before";
  }
  if (race.current.deed == Deed::kFree) return "free of memory that another thread accesses";
  if (race.current.deed == Deed::kEnd)
    return "a thread ends, and another thread accesses its stack or thread-local storage";
  if (race.previous.deed == Deed::kAllocation)
    return "access of memory whose allocation by another thread is not ordered before it";
  return "two accesses that are not ordered";
}

// The synchronisation object that a race is about, if it is about one.
const sched::SyncObject* raced_object(const sched::SyncTable& objects, const race::Race& race) {
  if (!has(race, Deed::kUse) && !has(race, Deed::kEnd)) return nullptr;
  return objects.find(race.current.deed == Deed::kUse || race.previous.deed == Deed::kUse
                          ? race.address
                          : race.current.address);
}

}  // namespace

void Execution::report_race(const race::Race& race) {
  if (probing_) {
    const AccessKind kind = race.current.kind;
    const bool reads = kind == AccessKind::kRead || kind == AccessKind::kAtomicRead;
    return reads && race.current.deed == Deed::kAccess ? probe_reads() : void();
  }
  // The execution has come to an end of the storage before this access: that is worse than a race.
  if (race.previous.deed == Deed::kFree && race.current.deed != Deed::kFree)
    check_not_freed(race.address, race.current.size, race.current.pc);
  if (race.previous.deed == Deed::kEnd) check_not_freed(race.address, race.current.size, race.current.pc);
  // Once for each pair of places in an execution: a loop over a racy array is one bug. A campaign knows the
  // later place only; where the earlier one differs the execution that is run again tells.
  const std::uint64_t place = mix(race.current.pc, static_cast<std::uint64_t>(race.current.kind)) +
                              mix(race.previous.pc, static_cast<std::uint64_t>(race.previous.kind));
  for (std::uint32_t i = 0; i < reported_race_count_; ++i) {
    if (reported_races_[i] == place) return;
  }
  if (reported_race_count_ == kReportedRaces) return;
  reported_races_[reported_race_count_++] = place;
  self().last_pc = race.current.pc;
  const sched::SyncObject* const object = raced_object(sync_, race);
  FindingBuilder finding(*this, FindingKind::kDataRace, race_message(race, object));
  const auto cite = [&](PartRole role, const RaceAccess& access) {
    FindingPart& part = finding.part(role, scheduler_.thread(access.thread), access.pc);
    part.stack = access.stack;
    part.address = access.address;
    part.size = static_cast<std::uint8_t>(access.size < 255 ? access.size : 255);
    part.access = kind_of(access, object != nullptr && object->destroyed);
    part.event = access.event;
    if (access.size >= 255) part.block_size = access.size;  // what the byte above has no room for
    const char* more = nullptr;
    if (part.access == AccessKind::kAllocation) {
      const heap::Block* block = program_heap().block_containing(race.address);
      more = block != nullptr ? heap::name_of(block->allocator) : "mmap";
      if (block != nullptr) part.address = block->begin();
    } else if (object != nullptr &&
               (part.access == AccessKind::kObjectUse || part.access == AccessKind::kDestruction)) {
      more = sched::noun_of(object->kind);
    }
    if (more != nullptr) part.text = channel_.add_text(more, strlen(more));
  };
  cite(PartRole::kAccess, race.current);
  finding.finding().parts[0].stack = inside_function(stack_of(self()));
  cite(PartRole::kPreviousAccess, race.previous);
  if (object != nullptr) finding.cite_origin(*object);
  describe_memory(finding, race.address);
  finding.cite_creations();
  cite_libraries(finding, race);
}

void Execution::report_use_after_free(Address address, std::uint64_t bytes, std::uint64_t pc) {
  self().last_pc = pc;
  {
    FindingBuilder finding(*this, FindingKind::kHeapUseAfterFree, "access of memory that was freed");
    FindingPart& here = finding.part(PartRole::kHere, self(), pc);
    here.stack = inside_function(here.stack);
    here.address = address;
    here.size = static_cast<std::uint8_t>(bytes < 255 ? bytes : 255);
    describe_memory(finding, address);
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

// Main's stack is not looked at: the system keeps it until the process ends, and programs that let main end
// by pthread_exit rely on that.
void Execution::check_thread_storage(Address address, std::uint64_t bytes, std::uint64_t pc) {
  const sched::Thread& running = self();
  if (address - running.stack_low < running.stack_top - running.stack_low) return;
  const sched::Thread* owner = scheduler_.ended_owner(address);
  if (owner == nullptr) return;
  self().last_pc = pc;
  const bool on_stack = address < owner->stack_top;
  {
    FindingBuilder finding(*this,
                           on_stack ? FindingKind::kStackUseAfterEnd : FindingKind::kThreadLocalUseAfterEnd,
                           on_stack ? "access of a local variable of a thread that has ended"
                                    : "access of a thread-local variable of a thread that has ended");
    FindingPart& here = finding.part(PartRole::kHere, running, pc);
    here.stack = inside_function(here.stack);
    here.address = address;
    here.size = static_cast<std::uint8_t>(bytes < 255 ? bytes : 255);
    here.other = owner->id;
    describe_memory(finding, address);
    FindingPart& ended = finding.part(PartRole::kThreadEnded, *owner, owner->last_pc);
    ended.stack = kEmptyStack;
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

// Called while the thread is still in its last epoch: whoever joins it comes after. A stack that the program
// has given is the program's own memory again once the thread has been joined.
void Execution::end_storage(const sched::Thread& t) {
  if (!detecting_) return;
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
  if (!detecting_ || !is_program_call(pc)) return;
  if (const race::Race* race = race_.on_use(object.address, pc, access_stack(pc))) report_race(*race);
}

void Execution::note_first_use(sched::SyncObject& lock, std::uint64_t pc) {
  lock.users |= 1ull << index_of(scheduler_.current()) % 64;
  note_use(lock, pc);
}

// Locks and unlocks happen too often to tell the detector of each, but what the last unlock released is
// known.
void Execution::check_last_unlock(const sched::SyncObject& lock, race::Deed deed, std::uint64_t pc) {
  const bool is_lock = lock.kind == sched::SyncKind::kMutex || lock.kind == sched::SyncKind::kSpinLock;
  if (!detecting_ || !is_lock || lock.clock == 0 || !is_program_call(pc)) return;
  const ThreadId holder = edges_.unknown_owner(lock.clock);
  if (holder == kNoThread) return;
  race::Race race;
  race.address = lock.address;
  race.current.address = race.previous.address = lock.address;
  race.current.pc = pc;
  race.current.thread = scheduler_.current();
  race.current.kind = AccessKind::kWrite;
  race.current.deed = deed;
  race.previous.thread = holder;
  race.previous.kind = AccessKind::kAtomicRead;
  race.previous.deed = Deed::kUse;
  race.previous.pc = lock.where_pc;
  race.previous.stack = lock.where_stack;
  report_race(race);
}

}  // namespace heddle::engine
