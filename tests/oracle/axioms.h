// The axioms of docs/design/memory-model.md on one execution, by their definitions: slow and obvious.
//
//   rb  = (rf⁻¹ ; mo) \ id        eco = (rf ∪ mo ∪ rb)⁺
//   rs  = [W] ; (rf ; [U])*       sw  = [rel] ; ([F] ; sb)? ; rs ; rf ; [R] ; (sb ; [F])? ; [acq]
//   hb  = (sb ∪ sw)⁺
//   1. coherence   hb ; eco? is irreflexive
//   2. atomicity   an update reads the store immediately before it in mo
//   3. seq_cst     psc = ([Esc] ∪ [Fsc] ; hb) ; eco ; ([Esc] ∪ hb ; [Fsc]);  hb ∪ rf ∪ psc is acyclic
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/program.h"
#include "tests/oracle/relation.h"

namespace oracle {

enum class EventKind : std::uint8_t { kInitial, kLoad, kStore, kUpdate, kFence, kOther };

struct Event {
  EventKind kind = EventKind::kOther;
  Order order = Order::kRelaxed;
  int thread = -1;  // -1: an initial store
  int location = -1;
  int reads_from = -1;  // index of the store read; loads and updates
  int mo_position =
      -1;  // stores and updates: place among the stores of the location; the initial store is first

  bool writes() const {
    return kind == EventKind::kInitial || kind == EventKind::kStore || kind == EventKind::kUpdate;
  }
  bool reads() const { return kind == EventKind::kLoad || kind == EventKind::kUpdate; }
};

// Events of one thread are in program order. `synchronises`: further edges of sw (creation, join, unlock to
// lock, …).
struct Execution {
  std::vector<Event> events;
  std::vector<std::pair<int, int>> synchronises;
};

Relation sequenced_before(const Execution& e);
Relation reads_from(const Execution& e);
Relation modification_order(const Execution& e);
Relation synchronises_with(const Execution& e);
Relation happens_before(const Execution& e);                          // of sb, rf and orders alone
Relation extended_coherence(const Relation& rf, const Relation& mo);  // eco
Relation partial_sc(const Execution& e, const Relation& hb, const Relation& eco);

bool is_coherent(const Relation& hb, const Relation& eco);
bool is_atomic(const Execution& e);
bool is_seq_cst(const Execution& e, const Relation& hb, const Relation& eco);

// Axiom 3 as the standard has it, without our two limits: S need agree only with strongly-happens-before
// ([intro.races]p12) and psc ([atomics.order]p4); load buffering is allowed.
bool is_seq_cst_by_the_standard(const Execution& e, const Relation& hb, const Relation& eco);

// Empty if the execution is consistent, else the axiom that it violates.
std::string violated_axiom(const Execution& e);

}  // namespace oracle
