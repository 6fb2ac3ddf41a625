// The axioms of docs/design/memory-model.md on one execution, by their definitions: slow and obvious.
//
//   rb  = (rf⁻¹ ; mo) \ id        eco = (rf ∪ mo ∪ rb)⁺
//   rs  = [W] ; (rf ; [U])*       sw  = [rel] ; ([F] ; sb)? ; rs ; rf ; [R] ; (sb ; [F])? ; [acq]
//   hb  = (sb ∪ sw)⁺
//   1. coherence   hb ; eco? is irreflexive
//   2. atomicity   an update reads the store immediately before it in mo
//   3. causality   sb ∪ rf is acyclic: no load buffering
//   4. seq_cst     a total order S of the seq_cst operations exists ([atomics.order]p4): shb ∪ psc is acyclic, with
//                  shb = (sb ∪ [sc] ; sw ; [sc] ∪ sb ; hb ; sb)⁺  ([intro.races]p12)
//                  psc = left ; eco ; right,  left = [Esc] ∪ [Fsc] ; hb,  right = [Esc] ∪ hb ; [Fsc]
//
// LWG 3941: axiom 4 by its words forbids what x86 shows, where a seq_cst load reads back a plain store of its own
// thread from the store buffer. Let Own be those loads. The repaired axiom has, for R in Own that reads W:
//   - left ; eco ; R only through W, or through an access of another thread that happens before R;
//   - left ; eco ; R ; sb ; B for seq_cst stores and updates B, as by the words: before them the buffer is empty.
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

// Which axiom 4.
enum class SeqCst : std::uint8_t {
  kRepaired,        // C++20 with LWG 3941 repaired
  kWords,           // C++20's words
  kExecutionOrder,  // S is also an order of execution: hb ∪ rf ∪ psc is acyclic. A part of the others
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
Relation strongly_happens_before(const Execution& e, const Relation& hb);
// psc, of the words and repaired.
Relation partial_sc(const Execution& e, const Relation& hb, const Relation& eco, bool repaired);

bool is_coherent(const Relation& hb, const Relation& eco);
bool is_atomic(const Execution& e);
bool is_causal(const Execution& e);
bool is_seq_cst(const Execution& e, const Relation& hb, const Relation& eco, SeqCst axiom);

// Empty if the execution is consistent, else the axiom that it violates.
std::string violated_axiom(const Execution& e, SeqCst axiom = SeqCst::kRepaired);

}  // namespace oracle
