// Executes plans (core/trace/plan.h) of one program, one after the other, in a process that stays: a
// candidate costs what an execution of a campaign costs, and not the start of a process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/plan.h"
#include "tool/run/target.h"

namespace heddle::replay {

class Candidates {
 public:
  // For executions like that of `original`, which is where the log comes from.
  static Result<Candidates> start(const run::Target& target, const RunSpec& spec, const Trace& original);
  // Each is compared with these paths (RunSpec::follows_paths).
  static Result<Candidates> start_along(const run::Target& target, RunSpec spec, const Trace& original,
                                        std::shared_ptr<const PathQuestion> paths);

  // What became of one. `departures`: those that it made, in their order; `choices`: its log.
  struct Outcome {
    ExecutionResult result;
    std::vector<DepartureMade> departures;
    std::uint64_t switches = 0;
    std::vector<DepartureMade> others;  // those that it could have made, where asked for
    std::vector<Choice> choices;        // of executions that found something, or of all: keep_logs()
    bool cut = false;                   // there were more departures or choices than there is room for
  };
  Result<Outcome> follow(std::span<const Departure> plan, bool list_others = false,
                         std::optional<Hold> hold = std::nullopt);
  Result<Outcome> follow_log();
  // The first `choices` of the log, and from there on each choice drawn: what `random` would do after such a beginning.
  struct Drawn {
    std::uint64_t seed = 0;
    std::uint32_t stay = 0;  // operations after which a thread gives way, on average; 0: at each
    bool newest = false;     // loads read the newest store
  };
  Result<Outcome> follow_beginning(std::uint32_t choices, const Drawn& drawn);
  // The log from here on. False: it is longer than there is room for.
  bool set_log(std::span<const Choice> log);
  // How far the latest execution came along the paths that it was compared with.
  const PathQuestion& compared() const { return exchange().paths; }
  void keep_logs() { keeps_logs_ = true; }

  // Executes a log in a process of its own, with events, and says which departures it makes.
  struct Explained {
    run::SingleRun run;
    std::vector<DepartureMade> departures;
    std::vector<DepartureMade> others;  // that it could have made, where asked for
    std::uint64_t switches = 0;
  };
  enum class Others : std::uint8_t { kNone, kList };
  Result<Explained> explain(const RunSpec& spec, std::span<const Choice> choices,
                            Others others = Others::kNone, std::size_t kept_events = run::kKeptEvents);

  std::uint64_t executed() const { return executed_; }
  const RunSpec& spec() const { return spec_; }
  ~Candidates();
  Candidates(Candidates&&) noexcept = default;
  Candidates& operator=(Candidates&&) noexcept = default;

 private:
  Candidates() = default;
  CampaignState& state() const { return *static_cast<CampaignState*>(memory_.data()); }
  PlanExchange& exchange() const { return *static_cast<PlanExchange*>(state().learning().path()); }
  std::vector<DepartureMade> departures_made() const;
  Status relaunch();
  Result<Outcome> execute(const std::function<void(PlanExchange&)>& write_plan);
  bool await_result();
  Result<Outcome> collect();

  run::Target target_;
  RunSpec spec_;
  std::vector<Choice> log_;
  std::shared_ptr<const PathQuestion> paths_;
  std::uint64_t execution_ = 0;
  run::SharedMemory memory_;
  run::Process worker_;
  std::uint64_t executed_ = 0;
  bool keeps_logs_ = false;
};

}  // namespace heddle::replay
