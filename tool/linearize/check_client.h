// CHECK of CGVT's Algorithm 1 on the engine: executions of a test with one given client.
#pragma once

#include <optional>
#include <vector>

#include "tool/linearize/client_worker.h"
#include "tool/linearize/localize.h"
#include "tool/run/campaign.h"

namespace heddle::linearize {

// The violation among a campaign's bugs, if its trace has a history.
std::optional<Violated> violation_of(const run::CampaignOutcome& outcome);

class ClientChecker {
 public:
  // `options` are those of detection, with σ for the number of executions.
  ClientChecker(run::Target target, run::CampaignOptions options)
      : target_(std::move(target)), options_(std::move(options)) {
    options_.symbolise = false;
  }

  // First by the recorded schedule, then by σ executions as in detection. Before an answer rests on these,
  // all executions there are, where they are few.
  Checked operator()(const lin::Client& client, const std::vector<Choice>& schedule, Effort effort);

  // Executes a violation once more in a process of its own, with symbols. Nullopt where it does not repeat.
  std::optional<Violated> with_symbols(const Violated& violated) const;

  std::uint64_t executions() const { return executions_; }

 private:
  run::Target with_client(const lin::Client& client) const;
  std::optional<Violated> try_client(const ClientWorker::Wish& wish);
  std::optional<Violated> try_client(const ClientWorker::Wish& wish, bool& was_killed);
  Checked try_all(const std::string& client, std::uint64_t most);
  ClientSearch own_search() const;

  run::Target target_;
  run::CampaignOptions options_;
  std::optional<ClientWorker> worker_;
  std::uint64_t executions_ = 0;
};

}  // namespace heddle::linearize
