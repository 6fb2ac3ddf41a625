// A campaign: executions of one program until a budget is spent or enough bugs were found.
//
// Workers (zygotes) take execution indices from shared memory and publish results in any order; the campaign
// consumes them in the order of their indices, so that what it reports is a function of the seed and not of
// timing or of the number of workers. A new bug is executed once more in a process of its own, with events
// on: that this shows the same finding with the same choices proves determinism before anything is reported.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tool/findings/kept_bug.h"
#include "tool/findings/known_bugs.h"
#include "tool/findings/suppressions.h"
#include "tool/run/behaviour_counts.h"
#include "tool/run/dead_worker.h"
#include "tool/run/target.h"
#include "tool/trace/campaign_report.h"

namespace heddle::run {

struct CampaignOptions {
  RunSpec spec;
  std::optional<std::uint64_t> executions;
  double seconds = 0;  // 0: no limit
  unsigned jobs = 1;
  bool overlap = true;               // also executions that change what others see, files for example
  std::uint64_t max_failures = 1;    // distinct bugs; 0: never stop for a bug
  std::uint64_t most_timed_out = 0;  // stop after so many executions that ran out of time; 0: never
  bool warnings_as_bugs = false;
  std::vector<int> allowed_exits;
  std::string output_directory = "heddle-out";  // empty: no artifacts are written
  bool symbolise = true;                        // traces of bugs; it takes longer than many executions
  Suppressions suppressions;
  std::size_t kept_events = kKeptEvents;  // of an execution, in its artifact
  std::vector<KnownBug> known;            // bugs that are not new
  bool has_known = false;                 // also where there are none
  // Only such findings are what the campaign is for: it goes on past all others, and keeps none of them. Empty: all
  // bugs are.
  std::function<bool(const Trace&, const TraceFinding&)> looks_for;
};

// One distinct finding with the execution that showed it first. KeptBug: what became of its artifact.
struct FoundBug : KeptBug {
  Trace trace;
  std::size_t finding = 0;
  std::uint64_t count = 0;
  std::uint64_t first_execution = 0;  // executions before it
  std::uint64_t last_execution = 0;   // index of the last one that was investigated
  bool confirmed = true;
  bool reported = false;           // on_bug was called
  bool passed_by = false;          // another one is looked for
  std::string known;               // the artifact that holds it already; empty: it is new
  report::RaceFollowUp follow_up;  // of a race; empty while the campaign runs
};

struct CampaignOutcome {
  report::CampaignReport report;
  std::deque<FoundBug> bugs;         // report.findings point into these
  std::uint64_t wanted = 0;          // executions with a bug that the campaign looks for
  std::uint64_t ended_by_other = 0;  // executions that another bug ended, where it looks for one
  std::uint64_t unconfirmed = 0;     // hits that did not repeat
  VisiblePlaces suppressed_races;    // accesses of those that the user suppresses
  std::optional<Error> error;        // nothing could be explored, or an error of our own
};

class Campaign {
 public:
  Campaign(Target target, CampaignOptions options);

  std::function<void(const FoundBug&)> on_bug;  // a new distinct finding
  // Makes the execution of a confirmed bug smaller, in place. Called when the executions are over, before
  // on_bug where the campaign ends with that bug.
  std::function<void(FoundBug&)> minimise;
  std::function<void(const report::Progress&)> on_progress;  // about ten times a second
  // Called when an artifact was written, with the report as it is by then (not `complete`).
  std::function<void(const report::CampaignReport&)> keep;

  // Ends with what it has where the user interrupts it (tool/run/interruption.h), or where `enough`, which
  // others may set meanwhile, is true.
  CampaignOutcome run(const std::atomic<bool>* enough = nullptr);

 private:
  struct Arrived {
    ExecutionResult result;
    std::vector<std::string> outcomes;
    std::vector<Choice> choices;  // where the index alone does not repeat the execution
  };

  Status start_workers();
  // What a worker has published and nobody has read.
  struct Unread {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  Unread unread_of(const Process& worker);
  bool is_intact() const;
  void end_overwritten();
  static Arrived arrived_at(const Process& worker, std::uint64_t place);
  void drain(Process& worker);
  void drain_if_held_up(Process& worker);
  void check_worker(Process& worker);
  void replace(Process& worker);
  static std::vector<std::string> outcomes_of(const Process& worker, const ExecutionResult& result);
  void consume_in_order();
  bool consume_waiting();
  bool consume_unread(Process& worker);
  void consume_next(const Arrived& arrived);
  void consume(const Arrived& arrived);
  void consume_findings(const Arrived& arrived);
  void take_prefix_run(Process& worker, bool killed);
  void count_bugs(const Arrived& arrived, const std::vector<std::uint64_t>& signatures);
  void count_wanted(const Arrived& arrived, const std::vector<std::uint64_t>& signatures);
  bool is_bug(std::uint64_t signature) const { return by_signature_.contains(signature); }
  bool is_worth_another_look(std::uint64_t signature) const;
  void map_signature(std::uint64_t signature, std::size_t bug);
  // Holds the turn between campaigns that share what is outside, until it ends; empty where they need no turns.
  class OwnTurn {
   public:
    OwnTurn() = default;
    explicit OwnTurn(SharedOutside* outside) : outside_(outside) {}
    ~OwnTurn() {
      if (outside_ != nullptr) outside_->give_back(outside_->owner.load());
    }
    OwnTurn(const OwnTurn&) = delete;
    OwnTurn& operator=(const OwnTurn&) = delete;

   private:
    SharedOutside* outside_ = nullptr;
  };
  OwnTurn wait_for_turn();
  void investigate(const Arrived& arrived, std::uint64_t signature);
  void take_out_suppressed(Trace& trace);
  void add_finding(Trace trace, std::size_t finding, const ExecutionResult& result, std::uint64_t signature);
  void minimise_bugs();
  void end_with(Error error);
  void note_unknown_libraries();
  void note_what_workers_tell();
  void take_search_progress();
  std::vector<std::string> not_explored() const;
  std::optional<Error> why_inconclusive() const;
  void report_strategies(report::CampaignReport& report) const;
  report::CampaignReport report_so_far() const;
  void describe(report::CampaignReport& report, double seconds) const;
  void finish_report(double seconds);
  double elapsed() const;
  bool is_late() const;

  Target target_;
  CampaignOptions options_;
  CampaignOutcome outcome_;
  SharedMemory state_memory_;
  CampaignState* state_ = nullptr;
  std::vector<Process> workers_;
  // Signatures of findings that a suppression took. Another finding may have the same one, since a campaign
  // knows one side of a race only: a few executions are looked at again.
  struct Suppressed {
    Suppressions::Entry* by = nullptr;
    std::uint32_t examined = 0;
  };
  std::unordered_map<std::uint64_t, Suppressed> suppressed_;
  std::map<std::uint64_t, Arrived> waiting_;  // out of order, and taken from the rings
  std::uint64_t next_ = 0;                    // index to consume
  bool done_ = false;
  bool has_unkept_bug_ = false;  // `keep` does not know of it yet
  std::string stopped_because_;
  bool interrupted_ = false;
  bool makes_no_choice_ = false;  // the one execution was all there is
  std::uint32_t seen_flags_ = 0;  // result_flags of all executions
  std::uint64_t distinct_bugs_ = 0;
  std::uint64_t warnings_examined_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> by_signature_;  // the runtime's signature → bugs
  std::unordered_map<std::uint64_t, std::uint32_t> looks_;       // at executions with this signature
  std::map<std::string, std::size_t> by_fingerprint_;
  BehaviourCounts behaviours_;
  struct StrategyCount {
    std::uint64_t executions = 0;
    std::uint64_t buggy_executions = 0;
  };
  std::map<std::uint32_t, StrategyCount> members_;  // of a portfolio
  bool overwritten_ = false;                        // what the program shares with us is not to be believed
  static constexpr unsigned kMostReplaced = 3;
  unsigned replaced_ = 0;  // workers, since the latest result
  CompletionWatch completion_watch_;
  double started_ = 0;
};

}  // namespace heddle::run
