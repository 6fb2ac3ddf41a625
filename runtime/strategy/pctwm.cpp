#include "runtime/strategy/pctwm.h"

namespace heddle::strategy {

void PctwmStrategy::start() {
  PriorityStrategy::start();
  knowledge_.begin(*view_);
  reordered_.clear();
  std::uint32_t among = parameters_.communications;
  if (among == 0) among = learned_communications();
  if (among == 0) among = kFirstCommunications;
  if (parameters_.once)
    draw_points_once(parameters_.depth, among);
  else
    draw_points(parameters_.depth, among);
  set_period(among);
}

bool PctwmStrategy::meet(ThreadId thread, const NextOperation& next) {
  if (!is_communication_event(next.kind, next.order)) return false;
  // Thesis, 6.4.1: at multiples of k_com a random thread runs, and reads from outside.
  if (is_period(communications_)) ask_for_random_thread();
  if (!change_at(communications_, thread)) return false;
  reordered_[thread] = true;
  return true;
}

std::uint32_t PctwmStrategy::choose_store(const ChoicePoint& point) {
  if (is_seq_cst(view_->next_operation(point.thread).order)) knowledge_.before_seq_cst(point.thread);
  if (is_spinning(point.thread)) {
    // It waits for what nobody will tell it, and may be alone.
    stop_spinning(point.thread);
    return read_global(point);
  }
  return reordered_[point.thread] ? read_global(point) : read_local(point);
}

std::uint32_t PctwmStrategy::read_global(const ChoicePoint& point) {
  if (parameters_.history >= point.count) return below(point.count);
  std::uint32_t latest[kMostHistory];
  return latest[below(view_->latest_stores(latest, parameters_.history))];
}

std::uint32_t PctwmStrategy::read_local(const ChoicePoint& point) {
  // What nobody told it of, a thread sees as it was before all.
  const KnownStore known = knowledge_.local(point.thread, point.location);
  const ChoiceKey local = known ? known.key() : ChoiceKey::store(kNoThread, 0);
  for (std::uint32_t i = 0; i < point.count; ++i) {
    if (point.keys[i] == local) return i;
  }
  return view_->nearest_store(local);
}

void PctwmStrategy::after(const Operation& operation) {
  if (operation.kind != EventKind::kVolatileWrite) reordered_[operation.thread] = false;
  knowledge_.performed(operation);
}

}  // namespace heddle::strategy
