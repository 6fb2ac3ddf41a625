#include "runtime/engine/race_reports.h"

#include "core/base/random.h"
#include "runtime/engine/crossings.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/library_watch.h"
#include "runtime/engine/program_heap.h"

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

void cite_libraries(FindingBuilder& finding, const race::Race& race) {
  const Scene& scene = finding.scene();
  if (race.previous.event == kNoEvent) return;
  for (std::uint32_t i = 0; i < kMaxLibraries; ++i) {
    if (!Crossings::explains(i, race, scene.thread(race.previous.thread), scene.thread(race.current.thread)))
      continue;
    FindingPart& part = finding.part(PartRole::kThroughLibrary, scene.running(), 0);
    part.stack = kEmptyStack;
    part.thread = kNoThread;
    part.text = scene.text(library_name(i));
  }
}

}  // namespace

bool RaceReports::is_news(const race::Race& race) {
  const std::uint64_t place = mix(race.current.pc, static_cast<std::uint64_t>(race.current.kind)) +
                              mix(race.previous.pc, static_cast<std::uint64_t>(race.previous.kind));
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (reported_[i] == place) return false;
  }
  if (count_ == kMost) return false;
  reported_[count_++] = place;
  return true;
}

void RaceReports::report(const Scene& scene, const race::Race& race) {
  scene.running().last_pc = race.current.pc;
  const sched::SyncObject* const object = raced_object(scene.objects, race);
  FindingBuilder finding(scene, FindingKind::kDataRace, race_message(race, object));
  const auto cite = [&](PartRole role, const RaceAccess& access) {
    FindingPart& part = finding.part(role, scene.thread(access.thread), access.pc);
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
    if (more != nullptr) part.text = scene.text(more);
  };
  cite(PartRole::kAccess, race.current);
  finding.finding().parts[0].stack = scene.stacks.inside_function(scene.stacks.of(scene.running()));
  cite(PartRole::kPreviousAccess, race.previous);
  if (object != nullptr) finding.cite_origin(*object);
  finding.describe_memory(race.address);
  finding.cite_creations();
  cite_libraries(finding, race);
}

void report_use_after_free(const Scene& scene, Address address, std::uint64_t bytes, std::uint64_t pc) {
  scene.running().last_pc = pc;
  FindingBuilder finding(scene, FindingKind::kHeapUseAfterFree, "access of memory that was freed");
  FindingPart& here = finding.part(PartRole::kHere, scene.running(), pc);
  here.stack = scene.stacks.inside_function(here.stack);
  here.address = address;
  here.size = static_cast<std::uint8_t>(bytes < 255 ? bytes : 255);
  finding.describe_memory(address);
  finding.cite_creations();
}

void report_use_after_end(const Scene& scene, const sched::Thread& owner, Address address,
                          std::uint64_t bytes, std::uint64_t pc) {
  scene.running().last_pc = pc;
  const bool on_stack = address < owner.stack_top;
  FindingBuilder finding(scene,
                         on_stack ? FindingKind::kStackUseAfterEnd : FindingKind::kThreadLocalUseAfterEnd,
                         on_stack ? "access of a local variable of a thread that has ended"
                                  : "access of a thread-local variable of a thread that has ended");
  FindingPart& here = finding.part(PartRole::kHere, scene.running(), pc);
  here.stack = scene.stacks.inside_function(here.stack);
  here.address = address;
  here.size = static_cast<std::uint8_t>(bytes < 255 ? bytes : 255);
  here.other = owner.id;
  finding.describe_memory(address);
  FindingPart& ended = finding.part(PartRole::kThreadEnded, owner, owner.last_pc);
  ended.stack = kEmptyStack;
  finding.cite_creations();
}

race::Race race_with_unlock(const Scene& scene, const sched::SyncObject& lock, ThreadId holder,
                            race::Deed deed, std::uint64_t pc) {
  race::Race race;
  race.address = lock.address;
  race.current.address = race.previous.address = lock.address;
  race.current.pc = pc;
  race.current.thread = scene.scheduler.current();
  race.current.kind = AccessKind::kWrite;
  race.current.deed = deed;
  race.previous.thread = holder;
  race.previous.kind = AccessKind::kAtomicRead;
  race.previous.deed = Deed::kUse;
  race.previous.pc = lock.where_pc;
  race.previous.stack = lock.where_stack;
  return race;
}

}  // namespace heddle::engine
