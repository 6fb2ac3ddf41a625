#include "runtime/engine/injection.h"

#include "core/trace/event_kinds.h"
#include "core/trace/plan.h"
#include "runtime/strategy/plan.h"

namespace heddle::engine {
namespace {

const InjectedValue* injected_value(ThreadId thread) {
  const PlanExchange* plan = strategy::PlanStrategy::exchange();
  if (plan == nullptr || plan->injected_count == 0 || thread != plan->injected_thread) return nullptr;
  for (std::uint32_t i = 0; i < plan->injected_count && i < kMostInjected; ++i) {
    if (plan->injected[i].ordinal == plan->injected_reads) return &plan->injected[i];
  }
  return nullptr;
}

}  // namespace

void count_injected_read(ThreadId thread, EventKind kind) {
  PlanExchange* plan = strategy::PlanStrategy::exchange();
  if (plan != nullptr && reads_memory(kind) && thread == plan->injected_thread) ++plan->injected_reads;
}

void inject_atomic(Execution& e, const sched::PendingOperation& operation) {
  const bool reads = operation.kind == EventKind::kAtomicLoad || operation.kind == EventKind::kAtomicUpdate ||
                     operation.kind == EventKind::kVolatileRead;
  if (!reads || operation.size > 8) return;
  const ThreadId thread = e.scheduler().current();
  const InjectedValue* injected = injected_value(thread);
  if (injected == nullptr) return;
  memory::Place place{operation.address, operation.size, {}};
  memcpy(&place.memory.low, reinterpret_cast<const void*>(operation.address), operation.size);
  memory::Value value{};
  memcpy(&value.low, &injected->value, operation.size);
  value = e.memory().store(thread, place, MemoryOrder::kRelaxed, value, e.next_event());
  memcpy(reinterpret_cast<void*>(operation.address), &value.low, operation.size);
}

void inject_plain(Execution& e, Address address, std::uint64_t bytes) {
  const InjectedValue* injected = injected_value(e.scheduler().current());
  if (injected != nullptr) memcpy(reinterpret_cast<void*>(address), &injected->value, bytes);
}

}  // namespace heddle::engine
