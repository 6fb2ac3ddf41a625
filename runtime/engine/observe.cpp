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
  observer_->performed(operation);
  if (may_break_off_ && strategy_->abandoned()) finish(Ending::kRedundant, 0);
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
  observer_->performed(operation);
  if (may_break_off_ && strategy_->abandoned()) finish(Ending::kRedundant, 0);
}

// Takes away one alternative after the other that no other one follows, the last executed first: the end of a
// total order that the modification order allows.
std::uint32_t Execution::latest_stores(std::uint32_t* alternatives, std::uint32_t most) const {
  std::uint64_t taken[8] = {};
  HEDDLE_CHECK(offered_.count <= 512);
  std::uint32_t found = 0;
  const auto is_taken = [&](std::uint32_t i) { return (taken[i / 64] >> (i % 64)) & 1; };
  for (; found < most && found < offered_.count; ++found) {
    for (std::uint32_t i = 0; i < offered_.count; ++i) {
      if (is_taken(i)) continue;
      bool is_followed = false;
      for (std::uint32_t k = 0; k < offered_.count && !is_followed; ++k)
        is_followed = !is_taken(k) && memory_.is_before(offered(i), offered(k));
      if (is_followed) continue;
      taken[i / 64] |= 1ull << (i % 64);
      alternatives[found] = i;
      break;
    }
  }
  return found;
}

std::uint32_t Execution::nearest_store(ChoiceKey store) const {
  // Whatever may be read and is not after it comes after what is known of it all the same: of the stores
  // that nothing orders, the one executed first.
  std::uint32_t nearest = offered_.count;
  for (const bool only_later : {true, false}) {
    for (std::uint32_t i = offered_.count; i-- > 0;) {
      if (only_later && !memory_.is_before(store, offered(i))) continue;
      if (nearest == offered_.count || memory_.is_before(offered(i), offered(nearest))) nearest = i;
    }
    if (nearest != offered_.count) break;
  }
  return nearest;
}

bool Execution::store_precedes(const strategy::Location& location, ChoiceKey a, ChoiceKey b) const {
  return memory_.precedes({location.address, location.size, {}}, location.number, a, b);
}

}  // namespace heddle::engine
