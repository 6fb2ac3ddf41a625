// What strategies see of an execution.
#include "runtime/engine/execution.h"

namespace heddle::engine {

using memory::Candidate;
using sched::PendingOperation;

strategy::NextOperation Execution::next_operation(ThreadId thread) const {
  const PendingOperation& p = scheduler_.thread(thread).pending;
  if (scheduler_.thread(thread).ignored) return {};
  return {p.kind, p.order, p.size, p.address, p.pc};
}

void Execution::observe(EventKind kind) {
  const PendingOperation& p = self().pending;
  strategy::Operation operation;
  operation.thread = scheduler_.current();
  operation.in_scope = self().ignored;
  operation.kind = kind;
  operation.order = p.order;
  operation.address = p.address;
  operation.pc = p.pc;
  if (is_plain_access(kind)) operation.location = {0, p.size, p.address};
  choices_.observer()->performed(operation);
  choices_.check_abandoned();
}

void Execution::observe_access(const PendingOperation& access, const Candidate* read) {
  strategy::Operation operation;
  operation.thread = scheduler_.current();
  operation.in_scope = self().ignored;
  operation.kind = access.kind;
  operation.order = access.order;
  operation.address = access.address;
  operation.pc = access.pc;
  operation.location = {memory_.last_location(), access.size, access.address};
  operation.reads = read != nullptr;
  if (read != nullptr) operation.read = ChoiceKey::store(read->writer, read->ordinal);
  operation.writes = access.kind == EventKind::kAtomicStore || access.kind == EventKind::kAtomicUpdate ||
                     access.kind == EventKind::kVolatileWrite;
  if (operation.writes) operation.written = memory_.last_store(operation.thread);
  choices_.observer()->performed(operation);
  choices_.check_abandoned();
}

std::uint32_t Execution::latest_stores(std::uint32_t* alternatives, std::uint32_t most) const {
  return choices_.latest_stores(alternatives, most);
}

std::uint32_t Execution::nearest_store(ChoiceKey store) const { return choices_.nearest_store(store); }

bool Execution::store_precedes(const strategy::Location& location, ChoiceKey a, ChoiceKey b) const {
  return memory_.precedes({location.address, location.size, {}}, location.number, a, b);
}

}  // namespace heddle::engine
