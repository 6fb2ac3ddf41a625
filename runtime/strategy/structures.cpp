#include "runtime/strategy/structures.h"

namespace heddle::strategy {

void Structures::prepare() {
  if (trees_ != nullptr) return;
  trees_ = static_cast<Trees*>(map_shared_pages(sizeof(Trees)));
  shown_ = static_cast<Shown*>(map_shared_pages(sizeof(Shown)));
}

void Structures::begin(Learning* learning, std::uint64_t index) {
  runs_.clear();
  shown_->count = 0;
  shown_->last = shown_->before = {};
  const std::uint32_t round = round_of(index);
  if (learning != nullptr && trees_->round != round + 1) build(*learning, round);
}

void Structures::build(Learning& learning, std::uint32_t round) {
  trees_->count = 0;
  learning.code().for_each_before(round_begin(round), [&](const CodeFact& fact) {
    StructureTree* tree = make_tree(fact.operation);
    if (tree == nullptr) return;
    if (fact.kind == CodeFact::kFollows)
      tree->add_edge(fact.first, fact.second);
    else
      tree->add_visits(fact.first, fact.second);
  });
  for (std::uint32_t i = 0; i < trees_->count; ++i) trees_->trees[i].build();
  trees_->round = round + 1;
}

const StructureTree* Structures::tree(std::uint32_t operation) const {
  for (std::uint32_t i = 0; i < trees_->count; ++i)
    if (trees_->operations[i] == operation) return &trees_->trees[i];
  return nullptr;
}

StructureTree* Structures::make_tree(std::uint32_t operation) {
  if (const StructureTree* known = tree(operation)) return const_cast<StructureTree*>(known);
  // Which operations have a tree must not depend on the order in which they are found here.
  if (operation % kCalled >= kOperations / 2) return nullptr;
  const std::uint32_t i = trees_->count++;
  trees_->operations[i] = operation;
  trees_->trees[i].clear();
  return &trees_->trees[i];
}

void Structures::enter(ThreadId thread, std::uint32_t operation) {
  Run& run = runs_[thread];
  run.operation = operation;
  run.count = 0;
  run.overflow = false;
  run.latest = 0;
}

void Structures::visit(ThreadId thread, std::uint64_t place) {
  Run& run = runs_[thread];
  note({run.operation, CodeFact::kFollows, run.latest, place});
  run.latest = place;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    if (run.visited[i].place != place) continue;
    ++run.visited[i].times;
    return;
  }
  if (run.count < Run::kVisited)
    run.visited[run.count++] = {place, 1};
  else
    run.overflow = true;
}

void Structures::leave(ThreadId thread) {
  const Run& run = runs_[thread];
  if (run.latest == 0) return;
  note({run.operation, CodeFact::kFollows, run.latest, 0});
  if (!run.overflow) note_visits(run);
}

// Two different numbers say that there is no fixed one; more say nothing.
void Structures::note_visits(const Run& run) {
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const CodeFact fact{run.operation, CodeFact::kVisits, run.visited[i].place, run.visited[i].times};
    if (*slot_of(fact.key()) == fact.key()) continue;
    const std::uint64_t first = mix(run.visited[i].place, run.operation) | 1;
    if (!remember(first) && !remember(first ^ 2)) continue;
    note(fact);
  }
}

std::uint64_t* Structures::slot_of(std::uint64_t key) const {
  constexpr std::uint32_t kTries = 64;
  std::uint64_t* slot = nullptr;
  for (std::uint32_t tries = 0; tries < kTries; ++tries) {
    slot = &shown_->keys[((key >> 32) + tries) % Shown::kKeys];
    if (*slot == 0 || *slot == key) return slot;
  }
  return slot;
}

bool Structures::remember(std::uint64_t key) {
  std::uint64_t* slot = slot_of(key);
  if (*slot == key) return false;
  *slot = key;
  return true;
}

void Structures::note(const CodeFact& fact) {
  if (shown_->count == Shown::kFacts || !remember(fact.key())) return;
  shown_->facts[shown_->count++] = fact;
}

void Structures::mark(std::uint64_t fingerprint) {
  shown_->before = shown_->last;
  shown_->last = {fingerprint, shown_->count};
}

void Structures::teach(Learning& learning, std::uint64_t index, std::uint64_t fingerprint) {
  const Mark& mark = shown_->last.fingerprint == fingerprint ? shown_->last : shown_->before;
  for (std::uint32_t i = 0; i < shown_->count; ++i) {
    const CodeFact& fact = shown_->facts[i];
    if (i < mark.facts)
      learning.code().note(fact, index);
    else if (std::uint64_t* slot = slot_of(fact.key()); *slot == fact.key())
      *slot = 0;  // it did not count, and may come again
  }
  shown_->count = 0;
}

}  // namespace heddle::strategy
