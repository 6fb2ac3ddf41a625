// A candidate, and what it breaks of the order of accesses, of locks, of happens-before and of the axioms:
// clauses over the decisions that break it.
#include "tool/constraints/axioms.h"
#include "tool/constraints/problem.h"

namespace heddle::constraints {

ActionId Problem::decided_source(const Choice& choice) const {
  for (std::size_t k = 0; k < choice.writes.size(); ++k) {
    if (sat_.value(choice.literals[k]) > 0) return choice.writes[k];
  }
  return kNoAction;
}

void Problem::read_off() {
  const std::span<const ActionId> order = orders_.order();
  execution_.order.assign(order.begin(), order.end());
  execution_.sources.assign(s_.parts().size(), kNoAction);
  std::vector<ActionId> latest(s_.cells().size(), kNoAction);
  for (ActionId i : order) {
    for (PartId p = s_.first_part(i); p < s_.first_part(i + 1); ++p) {
      execution_.sources[p] = latest[s_.parts()[p].cell];
    }
    if (!s_.action(i).writes()) continue;
    for (const Part& part : s_.parts_of(i)) latest[part.cell] = i;
  }
  for (const Choice& choice : choices_) execution_.sources[choice.part] = decided_source(choice);
  execution_.modification.assign(s_.count(), 0);
  for (ActionId w : modifications_.order()) execution_.modification[w] = modification_place(w);
}

void Problem::complete(std::vector<Clause>& lemmas) {
  ++rounds_;
  read_off();
  std::size_t before = 0;
  const auto count = [&](std::uint64_t& kind) {
    kind += lemmas.size() - before;
    before = lemmas.size();
  };
  const bool values_fit = check_values(lemmas);
  count(clauses_.path);
  if (!values_fit) return;
  check_latest(lemmas);
  count(clauses_.read_write);
  check_locks(lemmas);
  count(clauses_.synchronisation);
  if (!lemmas.empty() || !needs_happens_before()) return;
  const HappensBefore hb(s_, execution_.order, execution_.sources);
  if (options_.model == Model::kCxx20) check_axioms(hb, lemmas);
  count(clauses_.memory_order);
  if (lemmas.empty() && s_.trace().bug.kind == BugKind::kRace) check_race(hb, lemmas);
}

// φ_rw: nobody writes between the write that is read and the read.
void Problem::check_latest(std::vector<Clause>& lemmas) {
  std::vector<std::vector<ActionId>> written(s_.cells().size());  // so far
  std::size_t found = 0;
  for (ActionId i : execution_.order) {
    for (PartId p = s_.first_part(i); p < s_.first_part(i + 1) && found < kMostLemmas; ++p) {
      const CellId cell = s_.parts()[p].cell;
      if (!s_.action(i).reads() || !is_decided(p) || is_weak(cell)) continue;
      const ActionId w = execution_.sources[p];
      const std::vector<ActionId>& before = written[cell];
      if (before.empty() || before.back() == w) continue;
      const ActionId between = before.back();
      Clause lemma{negation(reads(p, w)), order(i, between)};
      if (w != kNoAction) {
        lemma.push_back(order(between, w));
        const bool nearer_to_read =
            orders_.position(i) - orders_.position(between) < orders_.position(between) - orders_.position(w);
        hint(nearer_to_read ? order(i, between) : order(between, w));
      }
      lemmas.push_back(std::move(lemma));
      ++found;
    }
    if (!s_.action(i).writes()) continue;
    for (const Part& part : s_.parts_of(i)) written[part.cell].push_back(i);
  }
}

// φ_sync: sections of one lock do not overlap, unless all who are in it only read.
void Problem::check_locks(std::vector<Clause>& lemmas) {
  std::vector<std::vector<std::uint32_t>> inside(s_.object_count());
  std::size_t found = 0;
  for (ActionId i : execution_.order) {
    if (const std::uint32_t ended = s_.section_ended(i); ended != kNoSection) {
      std::erase(inside[s_.sections()[ended].object], ended);
    }
    const std::uint32_t begun = s_.section_begun(i);
    if (begun == kNoSection) continue;
    const Section& b = s_.sections()[begun];
    for (std::uint32_t other : inside[b.object]) {
      const Section& a = s_.sections()[other];
      if ((!a.exclusive && !b.exclusive) || found >= kMostLemmas) continue;
      Clause lemma;
      if (a.unlock != kNoAction) {
        lemma.push_back(order(a.unlock, b.lock));
        hint(order(a.unlock, b.lock));
      }
      if (b.unlock != kNoAction) lemma.push_back(order(b.unlock, a.lock));
      lemmas.push_back(std::move(lemma));
      ++found;
    }
    inside[b.object].push_back(begun);
  }
}

void Problem::explain_source(ActionId read, Clause& lemma) const {
  const PartId part = s_.first_part(read);
  lemma.push_back(negation(reads(part, execution_.sources[part])));
}

// Why `a` happens before `b`, negated.
void Problem::explain_order(const HappensBefore& hb, ActionId a, ActionId b, Clause& lemma) {
  for (const HappensBefore::Step& step : hb.path(a, b)) {
    if (step.edge.by_order) {
      lemma.push_back(negation(order(step.edge.from, step.to)));
    } else {
      for (ActionId read : hb.chain(step.edge.read, step.edge.head)) explain_source(read, lemma);
    }
  }
}

void Problem::check_axioms(const HappensBefore& hb, std::vector<Clause>& lemmas) {
  std::vector<std::uint32_t> position(s_.count());
  for (ActionId i : s_.observed()) position[i] = orders_.position(i);
  for_each_violation(s_, execution_, position, hb,
                     [&](const Violation& violation) { lemmas.push_back(lemma_of(violation, hb)); });
}

Problem::Clause Problem::lemma_of(const Violation& v, const HappensBefore& hb) {
  const auto writes = [&](ActionId id) { return s_.action(id).writes(); };
  Clause lemma;
  switch (v.axiom) {
    case Axiom::kCoherence: {
      const ActionId x = write_of(s_, execution_, v.first);
      const ActionId y = s_.action(v.second).reads() ? source(v.second) : v.second;
      explain_order(hb, v.first, v.second, lemma);
      if (!writes(v.first)) explain_source(v.first, lemma);
      if (s_.action(v.second).reads()) explain_source(v.second, lemma);
      if (y != kNoAction) lemma.push_back(modification(x, y));
      break;
    }
    case Axiom::kAtomicity: {
      const ActionId w = source(v.second);
      explain_source(v.second, lemma);
      if (w != kNoAction && execution_.modification[w] > execution_.modification[v.second]) {
        lemma.push_back(modification(w, v.second));
      } else {
        lemma.push_back(modification(v.second, v.first));
        if (w != kNoAction) lemma.push_back(modification(v.first, w));
      }
      break;
    }
    case Axiom::kSeqCst: {
      const ActionId x = write_of(s_, execution_, v.first);
      const ActionId y = write_of(s_, execution_, v.second);
      if (v.left != v.first) explain_order(hb, v.left, v.first, lemma);
      if (v.right != v.second) explain_order(hb, v.second, v.right, lemma);
      if (!writes(v.first)) explain_source(v.first, lemma);
      if (!writes(v.second)) explain_source(v.second, lemma);
      if (x != y && x != kNoAction) lemma.push_back(negation(modification(x, y)));
      if (v.left != v.right) lemma.push_back(order(v.left, v.right));
      break;
    }
  }
  return lemma;
}

// A race is two accesses that nothing orders.
void Problem::check_race(const HappensBefore& hb, std::vector<Clause>& lemmas) {
  const Bug& bug = s_.trace().bug;
  const bool forwards = hb.before(bug.first, bug.second);
  const bool backwards = hb.before(bug.second, bug.first);
  if (s_.goal() == Structure::Goal::kFail) {
    if (!forwards && !backwards) return;
    Clause lemma;
    explain_order(hb, forwards ? bug.first : bug.second, forwards ? bug.second : bug.first, lemma);
    lemmas.push_back(std::move(lemma));
    return;
  }
  if (forwards || backwards) return;
  // Something that orders must be another: who takes a lock after whom, who reads what.
  Clause lemma;
  std::vector<std::vector<ActionId>> releases(s_.object_count());
  for (ActionId i : execution_.order) {
    const EventKind kind = s_.action(i).kind;
    const bool acquires = s_.section_begun(i) != kNoSection || kind == EventKind::kSemaphoreWait;
    std::vector<ActionId>& before = releases[s_.object_of(i)];
    if (acquires) {
      for (ActionId release : before) lemma.push_back(negation(order(release, i)));
    }
    if (kind == EventKind::kSemaphorePost) before.push_back(i);
    if (s_.section_ended(i) != kNoSection) releases[s_.sections()[s_.section_ended(i)].object].push_back(i);
  }
  for (const Choice& choice : choices_) {
    if (s_.action(s_.parts()[choice.part].action).is_atomic())
      lemma.push_back(negation(reads(choice.part, execution_.sources[choice.part])));
  }
  lemmas.push_back(std::move(lemma));
}

}  // namespace heddle::constraints
