// The replay oracle (thesis §3.1.1, Fig. 3.2) on the engine: an execution is held to a candidate's access
// vectors (core/trace/orders.h), and shows the bug, gets stuck, or does neither. The choices of one that
// shows it replay without the vectors: it is an execution like any other from there on.
#pragma once

#include <map>
#include <optional>

#include "tool/merge/replay/replay_search.h"
#include "tool/merge/store/log_store.h"
#include "tool/run/target.h"

namespace heddle::merge {

struct EngineOptions {
  AccessScheme scheme = AccessScheme::kVariables;
  std::string place;    // of the failure
  double seconds = 10;  // of one execution
  std::vector<int> allowed_exits;
};

class EngineOracle : public ReplayOracle {
 public:
  // REQUIRES: all outlive this.
  EngineOracle(const run::Target& target, const LogSet& logs, const std::vector<std::string>& threads,
               EngineOptions options);

  Result<Attempt> replay(const Candidate& candidate, std::uint64_t seed) override;

  // Of the attempt that reproduced the bug, which is its first finding; symbolised.
  std::optional<Trace> take_trace() { return std::move(trace_); }
  // Bugs at other places that attempts showed, by message.
  const std::map<std::string, std::uint64_t>& other_bugs() const { return others_; }
  double seconds() const { return seconds_; }

 private:
  std::vector<AccessVector> vectors_of(const Candidate& candidate, std::vector<ElementIndex>& elements) const;
  bool add_entries(const Candidate& candidate, std::vector<AccessVector>& vectors) const;
  RunSpec spec_of(const Candidate& candidate, std::uint64_t seed) const;
  Result<bool> take_failure(run::SingleRun& run);
  Result<Trace> without_accesses(const Trace& trace) const;

  const run::Target& target_;
  const LogSet& logs_;
  const std::vector<std::string>& threads_;
  EngineOptions options_;
  std::map<std::uint64_t, bool> is_failure_;  // by signature of a finding
  std::map<std::string, std::uint64_t> others_;
  std::optional<Trace> trace_;
  double seconds_ = 0;
  std::uint64_t most_steps_ = 0;
};

}  // namespace heddle::merge
