// Runs a small program directly on MemoryModel, exhaustively: plain depth-first search over every
// interleaving and every store that each load may read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/oracle/axioms.h"
#include "tests/oracle/program.h"
#include "tests/unit/memory/stepped_model.h"

namespace heddle::memory {

struct ExploreOptions {
  Options model;
  std::vector<std::size_t> creation_order;  // of the program's threads; empty: as they stand
  bool check_axioms = false;                // every execution goes through the axiom checker
  std::uint64_t max_executions = 50'000'000;
};

struct Explored {
  oracle::Outcomes outcomes;
  std::uint64_t executions = 0;
  std::uint64_t pruned_executions = 0;
  std::uint64_t overtakings = 0;  // operations that had several places in S
  std::string error;              // empty, or what went wrong: an axiom violated, a limit reached
};

class Explorer {
 public:
  // `model` is reused for many programs: resets must leave nothing behind.
  explicit Explorer(SteppedModel& model) : model_(model) {}
  Explored explore(const oracle::Program& program, const ExploreOptions& options);

 private:
  struct Point {
    std::uint32_t pick;
    std::uint32_t count;
  };

  std::uint32_t choose(std::uint32_t count);
  void choose_spot(std::uint32_t count);
  void rewrite();
  bool next_path();
  void run_once();
  void execute(std::size_t thread);
  void finish();
  void note_event(std::size_t thread, const oracle::Op& op, oracle::EventKind kind, oracle::Order order,
                  int read);
  void check_axioms();
  ThreadId id_of(std::size_t thread) const { return ids_[thread]; }
  Place place(int location) const;

  SteppedModel& model_;
  const oracle::Program* program_ = nullptr;
  const ExploreOptions* options_ = nullptr;
  std::vector<Point> path_;
  std::size_t depth_ = 0;
  std::vector<ThreadId> ids_;
  std::vector<std::size_t> next_;
  std::vector<Value> memory_;
  oracle::Outcome outcome_;
  std::vector<std::vector<int>> positions_;
  int finals_ = 0;
  Explored result_;
  // For the axiom checker: events in the order of execution, initial stores first.
  oracle::Execution execution_;
};

MemoryOrder order_of(oracle::Order order);
std::string difference(const oracle::Program& program, const oracle::Outcomes& shown,
                       const oracle::Outcomes& allowed);

}  // namespace heddle::memory
