#include "tool/constraints/simulate.h"

#include <algorithm>

#include "tool/constraints/axioms.h"
#include "tool/constraints/happens_before.h"

namespace heddle::constraints {
namespace {
constexpr std::uint32_t kNoWait = ~0u;
}

Simulation::Simulation(const Structure& structure)
    : s_(structure),
      values_(structure.trace().expressions),
      before_(structure.count()),
      wait_of_(structure.count(), kNoWait) {
  for (const auto& [a, b] : s_.forced()) before_[b].push_back(a);
  for (std::uint32_t w = 0; w < s_.waits().size(); ++w) {
    wait_of_[s_.waits()[w].wait] = w;
    if (s_.waits()[w].wake != kNoAction) wait_of_[s_.waits()[w].wake] = w;
  }
}

void Simulation::reset(std::span<const ActionId> order) {
  ++executions_;
  values_.clear();
  const std::size_t cells = s_.cells().size();
  state_.memory.assign(cells, 0);
  state_.memory_known.assign(cells, false);
  for (CellId c = 0; c < cells; ++c) {
    state_.memory[c] = s_.cells()[c].initial;
    state_.memory_known[c] = s_.cells()[c].has_initial;
  }
  state_.latest.assign(cells, kNoAction);
  sources_.assign(s_.parts().size(), kNoAction);
  written_.assign(s_.count(), 0);
  written_known_.assign(s_.count(), false);
  read_.assign(s_.count(), 0);
  read_known_.assign(s_.count(), false);
  state_.next.assign(s_.thread_count(), 0);
  position_.assign(s_.count(), ~0u);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    if (order[i] < s_.count()) position_[order[i]] = i;
  }
  state_.objects.assign(s_.object_count(), Object{});
  for (std::uint32_t o = 0; o < s_.object_count(); ++o) state_.objects[o].tokens = s_.tokens(o);
  state_.signalled.assign(s_.waits().size(), false);
  signal_of_.assign(s_.waits().size(), kNoAction);
}

bool Simulation::in_program_order(ActionId id) {
  if (state_.next[s_.thread_index(id)] != s_.ordinal(id)) return false;
  ++state_.next[s_.thread_index(id)];
  return std::all_of(before_[id].begin(), before_[id].end(),
                     [&](ActionId from) { return position_[from] < position_[id]; });
}

void Simulation::signal(Object& object, ActionId id, bool all) {
  if (all) {
    for (std::uint32_t w : object.waiting) state_.signalled[w] = true;
    object.waiting.clear();
    object.signals.clear();
  } else if (object.signals.size() < object.waiting.size()) {
    object.signals.push_back({id, object.waiting});
  }
}

namespace {

auto find_signal(auto& signals, std::uint32_t wait) {
  return std::find_if(signals.begin(), signals.end(), [&](const Simulation::Object::Signal& signal) {
    return std::find(signal.to.begin(), signal.to.end(), wait) != signal.to.end();
  });
}

}  // namespace

bool Simulation::may_be_signalled(std::uint32_t wait) const {
  const auto& signals = state_.objects[s_.waits()[wait].object].signals;
  return state_.signalled[wait] || find_signal(signals, wait) != signals.end();
}

bool Simulation::take_signal(std::uint32_t wait) {
  if (state_.signalled[wait]) return true;
  auto& signals = state_.objects[s_.waits()[wait].object].signals;
  const auto own = find_signal(signals, wait);
  if (own == signals.end()) return false;
  signal_of_[wait] = own->action;
  signals.erase(own);
  return true;
}

const char* Simulation::synchronise(ActionId id) {
  const Action& a = s_.action(id);
  Object& object = state_.objects[s_.object_of(id)];
  const std::uint32_t thread = s_.thread_index(id);
  const std::uint32_t wait = wait_of_[id];
  if (wait != kNoWait && s_.waits()[wait].wake == id && s_.waits()[wait].needs_signal && !take_signal(wait))
    return "nobody has signalled the one who goes on";
  switch (a.kind) {
    case EventKind::kMutexLock:
    case EventKind::kRwlockWriteLock:
      if (object.depth != 0 && object.owner != thread) return "somebody else holds the lock";
      if (!object.readers.empty()) return "somebody reads under the lock";
      object.owner = thread;
      ++object.depth;
      break;
    case EventKind::kMutexTryLockFailed:
      if (object.depth == 0) return "the lock is free, and the attempt would have succeeded";
      break;
    case EventKind::kMutexUnlock:
      if (object.depth == 0 || object.owner != thread) return "the lock is not held";
      --object.depth;
      break;
    case EventKind::kRwlockReadLock:
      if (object.depth != 0) return "somebody writes under the lock";
      object.readers.push_back(thread);
      break;
    case EventKind::kRwlockUnlock: {
      if (object.depth != 0 && object.owner == thread) {
        --object.depth;
        break;
      }
      const auto reader = std::find(object.readers.begin(), object.readers.end(), thread);
      if (reader == object.readers.end()) return "the lock is not held";
      object.readers.erase(reader);
      break;
    }
    case EventKind::kCondWait: {
      const std::uint32_t section = s_.section_ended(id);
      if (section != kNoSection) state_.objects[s_.sections()[section].object].depth = 0;
      object.waiting.push_back(wait);
      break;
    }
    case EventKind::kCondSignal:
    case EventKind::kCondBroadcast:
      signal(object, id, a.kind == EventKind::kCondBroadcast);
      break;
    case EventKind::kSemaphoreWait:
      if (object.tokens == 0) return "the semaphore has no token";
      --object.tokens;
      break;
    case EventKind::kSemaphorePost:
      ++object.tokens;
      break;
    default:
      break;
  }
  // Who goes on is waiting no longer.
  if (wait != kNoWait && s_.waits()[wait].wake == id) {
    std::vector<std::uint32_t>& waiting = state_.objects[s_.waits()[wait].object].waiting;
    waiting.erase(std::remove(waiting.begin(), waiting.end(), wait), waiting.end());
  }
  return nullptr;
}

const char* Simulation::access(ActionId id) {
  const Action& a = s_.action(id);
  const std::span<const Part> parts = s_.parts_of(id);
  if (a.reads()) {
    std::uint64_t value = 0;
    bool known = true;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const CellId cell = parts[k].cell;
      const PartId part = s_.first_part(id) + static_cast<PartId>(k);
      sources_[part] = state_.latest[cell];
      if (weak_ != nullptr && s_.cells()[cell].weak) {
        const ActionId w = weak_->sources[part];
        sources_[part] = w;
        if (w != kNoAction && position_[w] >= position_[id]) return "it reads what is not yet written";
        value = w != kNoAction ? written_[w] : s_.cells()[cell].initial;
        known = w != kNoAction ? written_known_[w] : s_.cells()[cell].has_initial;
      } else if (state_.memory_known[cell]) {
        value |= state_.memory[cell] << parts[k].shift;
      } else {
        known = false;
      }
    }
    // What nobody knows, because it was there before the first write, matters where a branch depends on it.
    if (a.symbol != kConcrete && known) values_.set_symbol(a.symbol, value);
    read_[id] = value;
    read_known_[id] = known;
  }
  if (a.writes()) {
    std::uint64_t value = a.value;
    const bool known = a.written == kConcrete || values_.evaluate(a.written, value);
    written_[id] = value;
    written_known_[id] = known;
    for (const Part& part : parts) {
      state_.memory[part.cell] = value >> part.shift & mask_of(part.bits);
      state_.memory_known[part.cell] = known;
      state_.latest[part.cell] = id;
    }
  }
  return nullptr;
}

const char* Simulation::step(ActionId id) {
  if (id >= s_.count() || !s_.included(id)) return "it is no action of the trace";
  if (!in_program_order(id)) return "it comes before what precedes it in every schedule";
  return s_.action(id).is_access() ? access(id) : synchronise(id);
}

const char* Simulation::advance(ActionId id, std::uint32_t position) {
  weak_ = nullptr;
  position_[id] = position;
  return step(id);
}

void Simulation::put_back(const State& state, std::span<const ActionId> executed,
                          std::span<const ActionId> undone) {
  state_ = state;
  for (const ActionId id : undone) position_[id] = ~0u;
  values_.clear();
  for (const ActionId id : executed) {
    if (s_.action(id).symbol != kConcrete && read_known_[id])
      values_.set_symbol(s_.action(id).symbol, read_[id]);
  }
}

bool Simulation::holds(const Condition& condition) {
  std::uint64_t value = 0;
  return values_.evaluate(condition.expression, value) && (value != 0) == condition.holds;
}

bool Simulation::judge_conditions(bool with_soft, Verdict& verdict) {
  for (const Condition& c : s_.trace().conditions) {
    if (c.soft && !with_soft) continue;
    if (holds(c)) continue;
    verdict.reason =
        c.soft ? "a value that was taken for concrete is another" : "a branch goes the other way";
    return false;
  }
  return true;
}

bool Simulation::bug_shows(std::span<const ActionId> order) {
  const Bug& bug = s_.trace().bug;
  switch (bug.kind) {
    case BugKind::kCondition: {
      std::uint64_t value = 0;
      if (bug.condition.expression == kConcrete) return true;
      return values_.evaluate(bug.condition.expression, value) && (value != 0) == bug.condition.holds;
    }
    case BugKind::kRace: {
      const HappensBefore hb(s_, order, sources_);
      return !hb.before(bug.first, bug.second) && !hb.before(bug.second, bug.first);
    }
    case BugKind::kDeadlock:
      return s_.goal() == Structure::Goal::kFail;
    case BugKind::kUseAfterFree:
      return position_[bug.first] < position_[bug.second];
  }
  return false;
}

const char* Simulation::judge_axioms() {
  const HappensBefore hb(s_, weak_->order, sources_);
  const char* wrong = nullptr;
  const Execution execution{weak_->order, sources_, weak_->modification};
  for_each_violation(s_, execution, position_, hb, [&](const Violation& v) {
    wrong = v.axiom == Axiom::kCoherence   ? "coherence"
            : v.axiom == Axiom::kAtomicity ? "an update does not read the write immediately before it"
                                           : "no order of the seq_cst operations";
  });
  return wrong;
}

Verdict Simulation::run(std::span<const ActionId> order, bool with_soft) {
  return run(order, nullptr, with_soft);
}
Verdict Simulation::run(const Execution& execution, bool with_soft) {
  return run(execution.order, &execution, with_soft);
}

Verdict Simulation::run(std::span<const ActionId> order, const Execution* weak, bool with_soft) {
  weak_ = weak;
  reset(order);
  Verdict verdict;
  if (order.size() != s_.observed().size()) {
    verdict.reason = "it does not have every action once";
    return verdict;
  }
  for (ActionId id : order) {
    if (const char* wrong = step(id)) {
      verdict.reason = wrong;
      verdict.at = id;
      return verdict;
    }
  }
  if (!judge_conditions(with_soft, verdict)) return verdict;
  if (weak_ != nullptr) {
    if (const char* wrong = judge_axioms()) {
      verdict.reason = wrong;
      return verdict;
    }
  }
  verdict.feasible = true;
  verdict.fails = bug_shows(order);
  return verdict;
}

}  // namespace heddle::constraints
