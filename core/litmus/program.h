// Small straight-line concurrent programs on atomics, as data: what litmus files, the generator, the
// enumerator and all interpreters share. Includes nothing of the runtime or of the tool.
#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace heddle::litmus {

enum class Order : std::uint8_t { kRelaxed, kConsume, kAcquire, kRelease, kAcqRel, kSeqCst };
enum class OpKind : std::uint8_t { kLoad, kStore, kAdd, kExchange, kCas, kWeakCas, kFence };

constexpr bool acquires(Order o) {
  return o == Order::kConsume || o == Order::kAcquire || o == Order::kAcqRel || o == Order::kSeqCst;
}
constexpr bool releases(Order o) {
  return o == Order::kRelease || o == Order::kAcqRel || o == Order::kSeqCst;
}

struct Op {
  OpKind kind = OpKind::kLoad;
  Order order = Order::kRelaxed;    // of success for a CAS
  Order failure = Order::kRelaxed;  // of a CAS
  int location = 0;
  int value = 0;              // stored, added, or desired
  int expected = 0;           // of a CAS
  std::string register_name;  // for litmus files; may be empty

  bool is_cas() const { return kind == OpKind::kCas || kind == OpKind::kWeakCas; }
  bool is_update() const { return kind == OpKind::kAdd || kind == OpKind::kExchange; }
  bool reads() const { return kind != OpKind::kStore && kind != OpKind::kFence; }
};

// What an update or a successful CAS that has read `old` writes.
constexpr int written_value(OpKind kind, int operand, int old) {
  return kind == OpKind::kAdd ? old + operand : operand;
}

struct Program {
  std::string name;
  std::vector<int> initial;  // by location
  std::vector<std::vector<Op>> threads;
};

// What one execution shows: per thread and operation the value read (a CAS also 1 for success, 0 for
// failure), then the final value of each location.
using Outcome = std::vector<int>;
using Outcomes = std::set<Outcome>;

// A program as parse_program reads it, with its name in a comment. An outcome for people:
// "t0: 1 | t1: 0(failed) | final x=1 y=0".
std::string to_string(const Program& program);
std::string to_string(const Program& program, const Outcome& outcome);
const char* to_string(Order order);
// An outcome from its numbers, separated by spaces; the empty outcome for text that is none.
Outcome outcome_of(const std::string& numbers);
std::string location_name(int location);

// Position in an Outcome of the value read by each operation; -1 for those that read nothing. Final values
// follow at `finals`.
struct OutcomeLayout {
  explicit OutcomeLayout(const Program& program);
  std::vector<std::vector<int>> position;
  int finals = 0;
  int size = 0;
};

// How many ways there are to interleave the threads' operations, saturating at 10^9.
std::uint64_t interleavings(const Program& program);

}  // namespace heddle::litmus
