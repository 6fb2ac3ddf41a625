// Executes schedules of one program for real, and traces executions symbolically. All that a search believes
// comes from here.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tool/constraints/schedules.h"
#include "tool/replay/candidates.h"
#include "tool/search/composition.h"
#include "tool/search/traced_run.h"
#include "tool/symbols/symboliser.h"

namespace heddle::search {

struct Executed {
  std::vector<Choice> choices;
  ExecutionResult result;
  bool passes = false;    // came to its end, and nothing was found
  bool is_bug = false;    // something was found; neither: it was cut or timed out
  VisiblePlaces visible;  // plain accesses that were choices
};

class Executions {
 public:
  // `spec`: model, limits and seed. `index`: of the execution that all of them
  // are variants of; what the system tells the program depends on it.
  static Result<Executions> start(const run::Target& target, const RunSpec& spec,
                                  std::vector<int> allowed_exits, std::uint64_t index = 0);

  // One of many that are much like those of production, from 0; the first is asked for first.
  Result<Executed> sample(std::uint64_t index);
  Result<Executed> follow(std::span<const Departure> plan, std::optional<Hold> hold = std::nullopt);
  // The schedule of a composition, whose beginning is that of executions before.
  struct Afterwards {
    std::vector<ThreadId> woken;  // go on by signals that nobody has gone on by in the schedule
    ThreadId held = kNoThread;    // goes on when the others have nothing left to do
  };
  Result<Executed> follow(const Composition& of, const constraints::SymbolicTrace& trace,
                          const constraints::Execution& schedule, const Afterwards& afterwards);
  Result<Executed> follow(const Composition& of, const constraints::SymbolicTrace& trace,
                          const constraints::Execution& schedule) {
    return follow(of, trace, schedule, Afterwards{});
  }

  // With a symbolic trace. Memory that one execution shares is traced in all that come later.
  Result<std::shared_ptr<TracedRun>> trace(const Executed& of);
  // With one thread made to read values of ours: no execution of the program, but a path of that thread.
  Result<std::shared_ptr<TracedRun>> trace_injected(ThreadId thread, std::span<const InjectedValue> values);
  // As for an artifact: with events and what was found.
  Result<Trace> record(const Executed& executed);

  // The memory that a trace's races are about is visible from now on: schedules that order plain accesses to it are
  // followed, and not only asked for. What was executed before fits its own traces only. False: nothing was new.
  Result<bool> see_races(const Trace& trace);

  // Adds that static memory which the run touched and no file initialises was zero at first.
  void learn_static(const TracedRun& run, std::map<Address, std::uint8_t>& initial);
  // "queue.cpp:31", the innermost place that is not of a system header; empty: not known.
  std::string source_place(std::uint64_t pc);

  // Traces have TracedRun::decisions from now on.
  void keep_decisions() { keeps_decisions_ = true; }
  bool is_weak() const { return spec_.model != ModelKind::kSc; }
  const run::Target& target() const { return target_; }
  const RunSpec& spec() const { return spec_; }
  const std::vector<int>& allowed_exits() const { return allowed_exits_; }
  // Real executions of schedules; those that only looked closer at one are not counted.
  std::uint64_t executed() const { return executed_; }
  // How many times more memory turned out to be shared: traces from before miss accesses to it.
  std::uint32_t shared_generation() const { return generation_; }

 private:
  Executions() = default;
  Status start_candidates();
  Executed judged(const ExecutionResult& result, std::vector<Choice> choices) const;
  Trace stub(std::span<const Choice> choices) const;
  void read_static_memory(const Trace& trace);
  Status find_uncounted(const TracedRun& run, std::uint64_t hash);

  run::Target target_;
  RunSpec spec_;
  std::vector<int> allowed_exits_;
  std::uint64_t index_ = 0;
  bool keeps_decisions_ = false;
  std::shared_ptr<replay::Candidates> candidates_;
  std::vector<Departure> switches_;  // that the first sample could have made
  std::vector<Granule> shared_;
  std::vector<std::pair<Address, Address>> zeroed_;  // static memory without content in the file
  std::shared_ptr<Symboliser> symboliser_;
  std::uint32_t generation_ = 0;
  std::optional<std::uint32_t> uncounted_;
  std::uint64_t executed_ = 0;
};

}  // namespace heddle::search
