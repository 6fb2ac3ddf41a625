// The hunt for a logged failure that is guided by the log: executions are drawn, each is compared with the logged paths
// branch by branch as it goes (core/trace/path_question.h), and those that came furthest before a thread left its path
// are gone on from: the choices of their beginnings are made again, and what comes after is drawn anew.
//
// How far back to begin is drawn as well, over several scales: the choice that let a thread leave its path may lie long
// before. So is how long a thread runs on, since production runs switch rarely, and whether loads read the newest store.
//
// An execution is found when it ends as the log did. Where it is on its paths does not matter then.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "tool/replay/candidates.h"
#include "tool/run/wanted_failure.h"
#include "tool/search/path_question_of.h"

namespace heddle::search {

class GuidedHunt {
 public:
  GuidedHunt(const run::Target& target, const RunSpec& spec, std::vector<int> allowed_exits,
             run::WantedFailure wanted, const LoggedPaths& log);

  // Is told how many steps were made together, of how many, whenever it is more than ever before.
  std::function<void(std::size_t, std::size_t)> on_step;

  std::optional<std::uint64_t> most_executions;

  // Until it is found, or the time is up. The execution with events, as for an artifact.
  Result<std::optional<Trace>> run();
  std::uint64_t executions() const { return executions_; }
  std::size_t furthest() const { return furthest_; }
  std::size_t steps() const { return steps_; }

 private:
  // An execution that came far.
  struct Elite {
    std::vector<Choice> choices;
    std::uint32_t together = 0;  // steps of all threads, when the first left its path
    std::uint32_t left_by = 0;
    std::uint32_t left_at = 0;  // choices by then
    std::uint32_t vain = 0;     // executions from here since one came further
  };

  Status start();
  Status try_some(std::optional<Trace>& found);
  Elite* pick_elite();
  Status look_at(const replay::Candidates::Outcome& outcome, std::optional<Trace>& found);
  void keep(const replay::Candidates::Outcome& outcome, Elite* from);
  bool add_races(const Trace& trace);

  run::Target target_;
  RunSpec spec_;
  std::vector<int> allowed_exits_;
  run::WantedFailure wanted_;
  std::shared_ptr<const PathQuestion> paths_;
  std::size_t steps_ = 0;
  std::optional<replay::Candidates> candidates_;
  Random random_;
  std::vector<Elite> elites_;
  std::set<std::uint64_t> known_;  // signatures that are not what is looked for
  std::uint64_t executions_ = 0;
  std::size_t furthest_ = 0;
  std::uint32_t in_vain_ = 0;  // failures of the right kind that the program's usual code does not repeat
};

}  // namespace heddle::search
