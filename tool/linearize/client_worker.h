// Executes one client of a test after the other in a process that stays (core/trace/client_exchange.h): a
// test case costs what its executions cost, and not the start of a process.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/trace/choice.h"
#include "tool/run/target.h"

namespace heddle::linearize {

class ClientWorker {
 public:
  // What is done to a client: so many executions, and who chooses in them.
  struct Wish {
    std::string client;
    ClientSearch search = ClientSearch::kStrategy;
    std::uint64_t executions = 1;
    std::span<const Choice> log = {};  // kGuided
  };

  // `spec` has the strategy of ClientSearch::kStrategy. Logs have at most `most_choices`.
  static Result<ClientWorker> start(const run::Target& target, const RunSpec& spec, std::size_t most_choices);

  // Gets an execution, without its events, and the history that it left; false: no more.
  using Use = std::function<bool(const Trace& trace, std::string_view history)>;

  // Runs the client until `use` wants no more, or so many times, or as often as there are executions to tell
  // apart. `use` gets the executions that found something, in the order of their indices. An error: the
  // worker has died. Exhaustive search goes on where it was, if the client is the one before.
  Status run(const Wish& wish, const Use& use);

  // After an error of run(): it was killed from outside, which says nothing of the client.
  bool was_killed() const { return !worker_.alive() && worker_.was_killed_from_outside(); }

  std::uint64_t executed() const { return granted_; }
  std::size_t room() const { return most_choices_; }
  // Of the latest exhaustive search: whether nothing is left, and about how many executions it takes.
  bool explored_all() const;
  double expected_executions() const;
  ~ClientWorker();
  ClientWorker(ClientWorker&&) noexcept = default;
  ClientWorker& operator=(ClientWorker&&) noexcept = default;

 private:
  ClientWorker() = default;
  void write(const Wish& wish);
  Status take_results(const RunSpec& spec, const Use& use);
  CampaignState& state() const { return *static_cast<CampaignState*>(memory_.data()); }
  ClientExchange& exchange() const { return state().learning().clients(); }

  run::Target target_;
  RunSpec spec_;
  std::size_t most_choices_ = 0;
  run::SharedMemory memory_;
  run::Process worker_;
  std::uint64_t granted_ = 0;
  std::string searched_;               // the client that exhaustive search knows
  std::uint64_t searched_before_ = 0;  // executions before its first one
};

}  // namespace heddle::linearize
