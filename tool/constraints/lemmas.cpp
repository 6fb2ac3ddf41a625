// What a candidate breaks of happens-before and of the axioms, as clauses over the decisions that break it.
#include "tool/constraints/axioms.h"
#include "tool/constraints/problem.h"

namespace heddle::constraints {

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
