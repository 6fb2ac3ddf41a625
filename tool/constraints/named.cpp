#include "tool/constraints/named.h"

#include <algorithm>
#include <map>

namespace heddle::constraints {
namespace {

class Namer {
 public:
  Namer(const Structure& s, const Execution& e) : s_(s), e_(e) {}

  void before(ActionId a, ActionId b) {
    if (a == kNoAction || s_.thread_index(a) == s_.thread_index(b) || s_.precedes(a, b)) return;
    add({Ordering::Kind::kBefore, a, b});
  }

  // Accesses of one cell: each write after the one before it and after who read that, each read after its
  // write.
  void name_cells(const Problem& problem, Model model) {
    struct State {
      ActionId write = kNoAction;
      std::vector<ActionId> readers;
      bool decided = false;
    };
    std::vector<State> cells(s_.cells().size());
    for (PartId p = 0; p < s_.parts().size(); ++p) {
      if (problem.is_decided(p)) cells[s_.parts()[p].cell].decided = true;
    }
    for (ActionId i : e_.order) {
      for (PartId p = s_.first_part(i); p < s_.first_part(i + 1); ++p) {
        const CellId c = s_.parts()[p].cell;
        State& cell = cells[c];
        if (!cell.decided) continue;
        if (model == Model::kCxx20 && s_.cells()[c].weak) {
          if (s_.action(i).reads()) add({Ordering::Kind::kReads, e_.sources[p], i});
          continue;
        }
        if (s_.action(i).reads()) {
          before(cell.write, i);
          if (!s_.action(i).writes()) cell.readers.push_back(i);
        }
        if (!s_.action(i).writes()) continue;
        before(cell.write, i);
        for (ActionId reader : cell.readers) before(reader, i);
        cell.readers.clear();
        cell.write = i;
      }
    }
    if (model == Model::kCxx20) name_modifications();
  }

  void name_modifications() {
    for (const Cell& cell : s_.cells()) {
      if (!cell.weak) continue;
      std::vector<ActionId> writes = cell.writes;
      std::sort(writes.begin(), writes.end(),
                [&](ActionId a, ActionId b) { return e_.modification[a] < e_.modification[b]; });
      for (std::size_t i = 1; i < writes.size(); ++i) {
        if (!s_.precedes(writes[i - 1], writes[i]))
          add({Ordering::Kind::kModification, writes[i - 1], writes[i]});
      }
    }
  }

  // Sections after those that they exclude; other objects, each operation after the one before it.
  void name_objects() {
    struct State {
      ActionId last = kNoAction;
      ActionId released = kNoAction;
      std::vector<ActionId> shared;
    };
    std::vector<State> objects(s_.object_count());
    for (ActionId i : e_.order) {
      const Action& a = s_.action(i);
      if (a.is_access() || a.kind == EventKind::kAllocate || a.kind == EventKind::kFree) continue;
      if (const std::uint32_t ended = s_.section_ended(i); ended != kNoSection) {
        State& lock = objects[s_.sections()[ended].object];
        if (s_.sections()[ended].exclusive) {
          lock.released = i;
        } else {
          lock.shared.push_back(i);
        }
      }
      if (const std::uint32_t begun = s_.section_begun(i); begun != kNoSection) {
        State& lock = objects[s_.sections()[begun].object];
        before(lock.released, i);
        if (s_.sections()[begun].exclusive) {
          for (ActionId reader : lock.shared) before(reader, i);
          lock.shared.clear();
        }
        // In a deadlock the lock is still held.
        if (a.synthetic) name_holder(i);
      }
      switch (a.kind) {
        case EventKind::kCondWait:
        case EventKind::kCondSignal:
        case EventKind::kCondBroadcast:
        case EventKind::kSemaphoreWait:
        case EventKind::kSemaphorePost:
        case EventKind::kMutexTryLockFailed:
          before(objects[s_.object_of(i)].last, i);
          objects[s_.object_of(i)].last = i;
          break;
        default:
          break;
      }
    }
    for (const Wait& wait : s_.waits()) {
      if (wait.wake == kNoAction || !wait.needs_signal) continue;
      for (ActionId i : s_.observed()) {
        const EventKind kind = s_.action(i).kind;
        if ((kind == EventKind::kCondSignal || kind == EventKind::kCondBroadcast) &&
            s_.object_of(i) == wait.object && position(i) < position(wait.wake))
          before(i, wait.wake);
      }
    }
  }

  void name_bug() {
    const Bug& bug = s_.trace().bug;
    if (bug.kind == BugKind::kUseAfterFree) before(bug.first, bug.second);
  }

  std::vector<Ordering> take() { return std::move(result_); }

 private:
  void add(const Ordering& ordering) {
    if (seen_.emplace(std::tuple(ordering.kind, ordering.first, ordering.second), true).second)
      result_.push_back(ordering);
  }

  // An attempt that waits: whoever took the lock and never let go came before it.
  void name_holder(ActionId attempt) {
    for (const Section& section : s_.sections()) {
      if (section.object != s_.object_of(attempt) || section.lock == attempt ||
          s_.action(section.lock).synthetic)
        continue;
      if (section.unlock == kNoAction || s_.action(section.unlock).synthetic) before(section.lock, attempt);
    }
  }

  std::uint32_t position(ActionId id) {
    if (position_.empty()) {
      position_.assign(s_.count(), 0);
      for (std::uint32_t i = 0; i < e_.order.size(); ++i) position_[e_.order[i]] = i;
    }
    return position_[id];
  }

  const Structure& s_;
  const Execution& e_;
  std::vector<Ordering> result_;
  std::map<std::tuple<Ordering::Kind, ActionId, ActionId>, bool> seen_;
  std::vector<std::uint32_t> position_;
};

}  // namespace

std::vector<Ordering> named_orderings(const Structure& structure, const Problem& problem,
                                      const Execution& execution, Model model) {
  Namer namer(structure, execution);
  // What comes first is blamed first: data flow says more than the order of locks that it follows from.
  namer.name_cells(problem, model);
  namer.name_bug();
  namer.name_objects();
  return namer.take();
}

Literal literal_of(Problem& problem, const Structure& structure, const Ordering& ordering) {
  switch (ordering.kind) {
    case Ordering::Kind::kBefore:
      return problem.order(ordering.first, ordering.second);
    case Ordering::Kind::kReads:
      return problem.reads(structure.first_part(ordering.second), ordering.first);
    case Ordering::Kind::kModification:
      return problem.modification(ordering.first, ordering.second);
  }
  return kNoLiteral;
}

Execution extended(const Structure& structure, const Execution& execution) {
  Execution result = execution;
  std::vector<bool> there(structure.count());
  for (ActionId i : execution.order) there[i] = true;
  for (ActionId i : structure.observed()) {
    if (!there[i]) result.order.push_back(i);
  }
  return result;
}

}  // namespace heddle::constraints
