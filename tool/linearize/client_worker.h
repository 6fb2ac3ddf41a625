// Executes one client of a test after the other in a process that stays (core/trace/client_exchange.h): a
// test case costs what its executions cost, and not the start of a process.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "core/trace/choice.h"
#include "tool/run/target.h"

namespace heddle::linearize {

class ClientWorker {
 public:
  // `spec` says how executions are chosen. A guided one follows a log of at most `most_choices`.
  static Result<ClientWorker> start(const run::Target& target, const RunSpec& spec,
                                    std::size_t most_choices = 0);

  // Runs the client until `use` wants no more, or so many times, or as often as there are executions to tell
  // apart. `use` gets the executions that found something, in the order of their indices. An error: the
  // worker has died.
  Status run(const std::string& client, std::uint64_t executions,
             const std::function<bool(const Trace&)>& use, std::span<const Choice> log = {});

  std::uint64_t executed() const { return granted_; }
  std::size_t room() const { return most_choices_; }
  const std::string& latest_client() const { return latest_client_; }
  // Of exhaustive search: whether nothing is left, and about how many executions it takes.
  bool explored_all() const { return state().exhausted.load() != 0; }
  double expected_executions() const;
  ~ClientWorker();
  ClientWorker(ClientWorker&&) noexcept = default;
  ClientWorker& operator=(ClientWorker&&) noexcept = default;

 private:
  ClientWorker() = default;
  Status take_results(const std::function<bool(const Trace&)>& use);
  CampaignState& state() const { return *static_cast<CampaignState*>(memory_.data()); }

  run::Target target_;
  RunSpec spec_;
  std::size_t most_choices_ = 0;
  std::string latest_client_;
  run::SharedMemory memory_;
  run::Process worker_;
  std::uint64_t granted_ = 0;
};

}  // namespace heddle::linearize
