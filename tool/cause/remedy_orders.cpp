#include <algorithm>
#include <map>
#include <utility>

#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"

namespace heddle::cause {
namespace {

bool is_atomic(const Event& event) {
  return event.kind == EventKind::kAtomicLoad || event.kind == EventKind::kAtomicStore ||
         event.kind == EventKind::kAtomicUpdate || event.kind == EventKind::kCasFailed ||
         event.kind == EventKind::kFence;
}

bool is_volatile(const Event& event) {
  return event.kind == EventKind::kVolatileRead || event.kind == EventKind::kVolatileWrite;
}

bool has_volatile_accesses(const Trace& trace) {
  return std::any_of(trace.events.begin(), trace.events.end(),
                     [](const TraceEvent& e) { return is_volatile(e); });
}

// The strongest that this operation can use.
MemoryOrder useful_order(EventKind kind, MemoryOrder order) {
  if (order == MemoryOrder::kAcqRel && kind == EventKind::kAtomicLoad) return MemoryOrder::kAcquire;
  if (order == MemoryOrder::kAcqRel && kind == EventKind::kAtomicStore) return MemoryOrder::kRelease;
  return order;
}

class OrdersRemedy {
 public:
  // `rule`: kStrengthen or kFence.
  OrdersRemedy(RemedyTrial& trial, RuleKind rule) : trial_(trial), rule_(rule) {}

  // Finds a smallest set of places at which this order helps; false: there is none, or no time.
  bool find(MemoryOrder strongest);
  bool accept() {
    return trial_.accept(rule_ == RuleKind::kFence ? RemedyKind::kFence : RemedyKind::kOrders, orders_);
  }

 private:
  void add_order_places(const Trace& trace, MemoryOrder strongest);
  bool shrink_orders();
  void weaken_orders();

  RemedyTrial& trial_;
  RuleKind rule_;
  std::vector<RemedyPart> orders_;
};

void OrdersRemedy::add_order_places(const Trace& trace, MemoryOrder strongest) {
  const bool fences = rule_ == RuleKind::kFence;
  std::map<ThreadId, const TraceEvent*> previous;
  for (const TraceEvent& event : trace.events) {
    if (!is_atomic(event) && !(fences && is_volatile(event))) continue;
    const TraceEvent* before = std::exchange(previous[event.thread], &event);
    // Before the first one of a thread there is nothing to be ordered with.
    if (fences ? before == nullptr || event.kind == EventKind::kFence : is_seq_cst(event.order)) continue;
    const MemoryOrder order = fences ? strongest : useful_order(event.kind, strongest);
    if (!fences && join_of(order, event.order) == event.order) continue;
    const CodePlace place = place_of(trace, event);
    const bool known = std::any_of(orders_.begin(), orders_.end(),
                                   [&](const RemedyPart& part) { return part.rule.place == place; });
    if (known || orders_.size() == kMostRules) continue;
    RemedyPart part;
    part.rule.kind = rule_;
    part.rule.place = place;
    part.rule.order = order;
    part.was = fences ? MemoryOrder::kRelaxed : event.order;
    part.shown = shown(trace, event);
    if (fences) part.other_shown = shown(trace, *before);
    orders_.push_back(std::move(part));
  }
}

// Takes away what is not needed: first all that is not in the projection, then halves, quarters and so on down to
// single places (Zeller and Hildebrandt, TSE 2002, ddmin, complements only).
bool OrdersRemedy::shrink_orders() {
  std::vector<RemedyPart> near;
  for (const RemedyPart& part : orders_) {
    const auto& kept = trial_.explanation().failing.kept;
    const bool is_kept = std::any_of(kept.begin(), kept.end(), [&](EventId id) {
      const TraceEvent* event = trial_.failing().find_event(id);
      return event != nullptr && event->pc == part.rule.place.pc;
    });
    if (is_kept) near.push_back(part);
  }
  if (!near.empty() && near.size() < orders_.size() && trial_.helps(near)) orders_ = near;
  for (std::size_t chunk = orders_.size() / 2; chunk != 0; chunk /= 2) {
    for (std::size_t end = orders_.size(); end != 0 && trial_.time_left();) {
      const std::size_t begin = end > chunk ? end - chunk : 0;
      std::vector<RemedyPart> fewer(orders_.begin(), orders_.begin() + static_cast<std::ptrdiff_t>(begin));
      fewer.insert(fewer.end(), orders_.begin() + static_cast<std::ptrdiff_t>(end), orders_.end());
      if (!fewer.empty() && trial_.helps(fewer)) orders_ = std::move(fewer);
      end = begin;
    }
  }
  return trial_.time_left();
}

void OrdersRemedy::weaken_orders() {
  const auto with_order = [&](std::size_t at, MemoryOrder order) {
    std::vector<RemedyPart> weaker = orders_;
    weaker[at].rule.order = order;
    return weaker;
  };
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const EventKind kind = orders_[i].shown.event.kind;
    for (const MemoryOrder order : {MemoryOrder::kAcquire, MemoryOrder::kRelease, MemoryOrder::kAcqRel}) {
      const bool is_weaker = join_of(order, orders_[i].rule.order) != order;
      const bool is_fence = rule_ == RuleKind::kFence;
      const bool fits_load = is_fence || kind != EventKind::kAtomicLoad || order == MemoryOrder::kAcquire;
      const bool fits_store = is_fence || kind != EventKind::kAtomicStore || order == MemoryOrder::kRelease;
      const bool is_of_use = fits_load && fits_store && join_of(order, orders_[i].was) != orders_[i].was;
      if (!is_weaker || !is_of_use || !trial_.time_left()) continue;
      const auto weaker = with_order(i, order);
      if (!trial_.helps(weaker)) continue;
      orders_ = weaker;
      break;
    }
  }
}

bool OrdersRemedy::find(MemoryOrder strongest) {
  orders_.clear();
  add_order_places(trial_.failing(), strongest);
  if (orders_.empty()) return false;
  trial_.say(rule_ == RuleKind::kFence           ? "trying fences"
             : strongest == MemoryOrder::kSeqCst ? "trying seq_cst"
                                                 : "trying acquire and release");
  if (rule_ == RuleKind::kStrengthen) {
    EnforcedRule all;
    all.kind = rule_;
    all.order = strongest;
    if (!trial_.helps(Rules{all})) return false;
  }
  // Other executions show the bug at other places.
  constexpr int kMostRounds = 8;
  bool enough = false;
  for (int round = 0; round < kMostRounds && !(enough = trial_.helps(orders_)); ++round) {
    const std::size_t before = orders_.size();
    if (trial_.last_failure()) add_order_places(*trial_.last_failure(), strongest);
    if (orders_.size() == before) break;
  }
  if (!enough) return false;
  trial_.say("finding out which of them matter");
  if (!shrink_orders()) return false;
  weaken_orders();
  if (rule_ == RuleKind::kStrengthen) {
    for (RemedyPart& part : orders_) part.rule.order = join_of(part.rule.order, part.was);
  }
  return true;
}

}  // namespace

bool try_orders(RemedyTrial& trial) {
  if (trial.failing().spec.model == ModelKind::kSc) return false;
  OrdersRemedy orders(trial, RuleKind::kStrengthen);
  if (orders.find(MemoryOrder::kAcqRel) || orders.find(MemoryOrder::kSeqCst)) return orders.accept();
  // Volatile accesses have no order that could be stronger.
  if (!has_volatile_accesses(trial.failing())) return false;
  OrdersRemedy fences(trial, RuleKind::kFence);
  return fences.find(MemoryOrder::kSeqCst) && fences.accept();
}

}  // namespace heddle::cause
