// Plain accesses of ranges, and what is settled at the end of an execution.
#include "core/trace/event.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

void Execution::plain_range(race::AccessOp op, Address address, std::uint64_t bytes, std::uint64_t pc,
                            std::uint64_t function) {
  if (bytes == 0) return;
  stacks_.set_function(function);
  before_access();
  if (!plain_.skips_known()) note_plain_access(op, address, bytes, pc);
  if (fairness_.is_fair() && op == race::AccessOp::kWrite) note_plain_write(address, bytes);
  if (plain_.detecting()) {
    if (const race::Race* race = race_.on_range(op, address, bytes, pc, access_stack(pc))) report_race(*race);
  }
  check_not_freed(address, bytes, pc);
  check_not_freed(address + bytes - 1, 1, pc);
  if (memory_.location_count() != 0) plain_over_atomics(op, address, bytes);
  if (rules_.is_in_plain_access()) rules_.end_plain_access();
  stacks_.set_function(0);
}

void Execution::plain_over_atomics(race::AccessOp op, Address address, std::uint64_t bytes) {
  const ThreadId t = scheduler_.current();
  op == race::AccessOp::kWrite ? memory_.plain_write(t, address, bytes)
                               : memory_.plain_read(t, address, bytes);
}

void Execution::check_initialised_slowly(const memory::Place& place, std::uint64_t pc) {
  if (!plain_.detecting() || race_.is_written(place.address, place.size)) return;
  if (memory_.has_location(place.address, place.size)) return;
  self().last_pc = pc;
  {
    FindingBuilder finding(scene_, FindingKind::kUninitialisedAtomic,
                           "read of an atomic in heap memory that nothing was written to");
    FindingPart& here = finding.part(PartRole::kHere, self(), pc);
    here.address = place.address;
    here.size = place.size;
    finding.describe_memory(place.address);
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

void Execution::settle() {
  before_access();
  note_trusted_libraries();
  choices_.end(channel_.header()->current);
  if (memory_.pruned()) channel_.header()->current.flags |= result_flags::kPruned;
  if (memory_.refused_places()) channel_.header()->current.flags |= result_flags::kPlacesRefused;
  if (!events_.is_on()) return;
  events_.turn(false);
  note_pace();
  Event* events = channel_.events();
  const std::uint32_t count = events_.count();
  for (const memory::MoPosition& p : memory_.modification_order_positions()) {
    if (index_of(p.event) < count) events[index_of(p.event)].mo_position = p.position;
  }
}

}  // namespace heddle::engine
