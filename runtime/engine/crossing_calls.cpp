// What the mediator does about crossings.h: a thread that is seen has first settled its volatile accesses.
#include "runtime/engine/callers.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/library_watch.h"

namespace heddle::engine {

void Execution::note_trusted_libraries() { channel_.header()->trusted_matched |= matched_templates(); }

void Execution::cross(bool out) { crossings_.cross(self(), out, next_event()); }

void Execution::cross_before_switch() { crossings_.before_switch(self(), next_event()); }

void Execution::enter_from(std::uint64_t caller_pc) {
  const bool by_program = crossings_.note_caller(self(), caller_pc);
  if (crossing.pending == 0) return;
  if (plain_.has_volatile()) settle_volatile();
  by_program ? cross(true) : crossings_.call_back(self(), next_event());
}

void Execution::return_to_caller() {
  if (crossing.pending != 0) before_access();
  if (crossings_.note_return(self())) race_.unsettle();
}

}  // namespace heddle::engine
