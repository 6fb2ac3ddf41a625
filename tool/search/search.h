// Production-guided search (Machado, PhD thesis, 5.2.2): from executions that passed to one that fails.
//
// First every schedule of the paths that were seen is asked about (schedule exploration), then paths nearby,
// on which one or more branches go the other way (execution synthesis). Two orders:
//
//   kPruned   ours: a flip is asked about on a real execution, by the solver alone. Only where some schedule
//             takes the other branch, it is executed, and what comes of it is a real execution again, from
//             which further flips start. Nothing is tried that cannot happen.
//   kThesis   the thesis': flips, alone and together, by their distance from the assertion; for each flipped
//             thread a trace of the database or a synthesised one, put together with the others' traces.
//
// Whatever the solver says is executed; only what then fails is found.
#pragma once

#include <chrono>
#include <functional>
#include <set>

#include "tool/search/branches.h"
#include "tool/search/executions.h"
#include "tool/search/goals.h"
#include "tool/search/path_trie.h"

namespace heddle::search {

enum class SearchOrder : std::uint8_t { kPruned, kThesis };

struct SearchOptions {
  SearchOrder order = SearchOrder::kPruned;
  std::uint32_t depth = 16;         // D: the branches nearest to the assertion
  std::uint32_t traces = 4;         // N: of each flip
  std::uint32_t most_together = 2;  // flips at once
  std::size_t base = 0;             // only from this run, counted from 1; 0: all, one after the other
  std::uint64_t most_executions = 1000;
  double seconds = 60;
  std::uint64_t most_conflicts = 20'000;  // of one question to the solver
};

// A branch of a run that goes the other way.
struct Flip {
  std::string thread;
  std::uint32_t step = 0;  // in the thread's path
  std::uint32_t rank = 0;  // by distance from the assertion, 1 is the nearest
  std::uint64_t pc = 0;
};

// Where a thread's trace comes from.
enum class TraceSource : std::uint8_t { kBase, kDatabase, kSteered, kInjected };

struct UsedTrace {
  std::string thread;
  Path path;
  TraceSource source = TraceSource::kBase;
  std::size_t run = 0;  // kDatabase: number of the run
};

// One question, and what came of it.
struct Attempt {
  std::size_t base = 0;         // number of the run that it starts from
  std::vector<Flip> flips;      // none: schedules of the same paths
  std::vector<UsedTrace> used;  // of all threads
  std::optional<Goal> goal;     // what was to go wrong; none: only the flip was asked for
  constraints::Answer answer = constraints::Answer::kUnknown;
  double seconds = 0;  // of the solver
  bool executed = false;
  bool failed = false;  // the goal came true in the execution
};

// A number of events of one thread in a row.
struct Segment {
  std::string thread;
  std::uint32_t events = 0;
  std::uint64_t pc = 0;  // of the last
};

struct FoundBug {
  Trace trace;
  Attempt attempt;
  std::vector<Segment> schedule;  // as solved
  std::vector<Choice> base;       // the execution that passed, from which it was derived
};

struct SearchCounts {
  std::uint64_t questions = 0;    // to the solver
  std::uint64_t tries = 0;        // put-together or flipped executions that were looked at
  std::uint64_t executions = 0;   // of schedules, for real
  std::uint64_t flips = 0;        // different combinations of branches
  std::uint64_t synthesised = 0;  // thread traces that no run had
  double solver_seconds = 0;
  double satisfiable_seconds = 0;  // of the question that led to the bug
};

class Search {
 public:
  Search(Executions& executions, SearchOptions options);

  std::function<void(const Attempt&)> on_attempt;

  // A run that passed. False: one with the same paths is known.
  Result<bool> add(const Executed& run);
  std::size_t runs() const { return production_; }
  const TracedRun& run(std::size_t number) const { return *runs_[number - 1].run; }

  // Looks for one bug; none: what was asked for is exhausted.
  Result<std::optional<FoundBug>> find();
  const SearchCounts& counts() const { return counts_; }
  bool gave_up() const { return gave_up_; }  // a budget was spent, or the solver did not know

 private:
  struct Run {
    std::shared_ptr<TracedRun> run;
    std::vector<Choice> choices;
    std::vector<Flip> flips;       // how it was derived
    std::size_t base = 0;          // from which production run, by number
    std::uint32_t distance = 0;    // total rank of the flips
    std::uint32_t generation = 0;  // of shared memory, when it was traced
  };
  using Found = Result<std::optional<FoundBug>>;

  bool is_over();
  Result<bool> keep(const Executed& executed, std::vector<Flip> flips, std::size_t base,
                    std::uint32_t distance);
  Status refresh();
  // Asks, and executes what the answer is.
  struct Solved {
    constraints::SymbolicTrace trace;
    constraints::Execution schedule;
  };
  // When the other threads need not keep to their paths beyond what is asked for: at once where it is a
  // failure, after which nothing comes. After a flip they go on, and what keeps them on their paths is
  // better; but a flip in a critical section has others wait outside.
  enum class Early : std::uint8_t { kFirst, kLast };
  std::optional<Solved> solve(const std::function<std::optional<constraints::SymbolicTrace>(Others)>& ask,
                              Attempt& attempt, Early early = Early::kLast);
  std::optional<Solved> find_early(const constraints::SymbolicTrace& trace, Attempt& attempt);
  Result<std::optional<Executed>> execute(const Composition& of, const Solved& solved, Attempt& attempt);
  Found report(const Executed& executed, const Composition& of, const Solved& solved, Attempt attempt,
               std::size_t run);
  Found explore_schedules(std::size_t run);
  Found try_goal(const Composition& of, const Goal& goal, Attempt attempt, std::size_t run);

  // kPruned
  Found find_pruned();
  bool leads_to_known_path(std::size_t run, const Branch& branch) const;
  Found flip_for_real(std::size_t run, const Branch& branch, std::uint32_t rank);
  // kThesis
  Found find_thesis();
  std::vector<Goal> assertions_of(std::size_t base) const;
  std::size_t possible_flips(std::size_t base);
  Found flip_around(std::size_t base, const Goal& goal);
  struct ThreadChoice {
    std::shared_ptr<TracedRun> run;
    UsedTrace used;
  };
  Result<std::vector<ThreadChoice>> traces_for(std::size_t base, const std::string& thread,
                                               const std::vector<std::uint32_t>& steps);
  std::vector<ThreadChoice> known_traces(std::size_t base, const std::string& thread,
                                         const std::vector<std::uint32_t>& steps) const;
  Status synthesise(std::size_t base, const std::string& thread, const std::vector<std::uint32_t>& steps);

  Executions& executions_;
  SearchOptions options_;
  double began_ = 0;  // run::worked_seconds()
  std::vector<Run> runs_;
  std::size_t production_ = 0;  // of runs_, the first so many
  std::set<std::map<std::string, Path>> known_;
  PathDatabase database_;
  std::map<Address, std::uint8_t> initial_;
  std::set<std::pair<std::string, Path>> synthesised_;  // asked for already
  std::vector<ThreadChoice> injected_;                  // traces that only injected values lead to
  std::optional<FoundBug> met_;                         // while steering
  SearchCounts counts_;
  bool gave_up_ = false;
};

}  // namespace heddle::search
