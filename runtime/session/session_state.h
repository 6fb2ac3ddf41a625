// The state of this process. Lies in the session's block, where no reset of an execution reaches it.
#pragma once

#include "core/base/pages.h"
#include "core/trace/channel.h"
#include "runtime/engine/execution.h"
#include "runtime/session/checks.h"
#include "runtime/session/snapshot.h"
#include "runtime/session/spin_watch.h"
#include "runtime/session/syscall_gate.h"

namespace heddle::session {

// The block begins with the stack of the loop over executions and the state; the copies of a snapshot come
// later.
inline constexpr std::uint64_t kServiceStack = address_map::kSession;
inline constexpr std::uint64_t kServiceStackBytes = 256 * address_map::kKilobyte;
inline constexpr std::uint64_t kStateAddress = kServiceStack + kServiceStackBytes + address_map::kHole;

struct State {
  Channel channel;
  engine::Execution* execution = nullptr;
  CampaignState* campaign = nullptr;
  strategy::Strategy* strategy = nullptr;

  // What happened before the first choice, common to all executions.
  std::uint32_t prefix_events = 0;
  std::uint32_t prefix_text = 1;
  std::uint32_t prefix_findings = 0;
  std::uint32_t prefix_stack_places = 0;
  ExecutionResult prefix;
  long prefix_output = 0;  // bytes of output
  std::uint64_t signal_mask = 0;

  std::uint32_t threads_wanted = 0;  // the most that any execution has created
  bool serving = false;              // executions run in children of this process
  bool crashed = false;              // a signal handler ended the execution
  bool has_snapshot = false;
  std::uint32_t short_batches = 0;  // processes in a row that could run no second execution
  sched::Fiber program;             // at the first choice
  sched::Fiber service;             // the zygote's loop, or the loop over executions in its children
  sched::Fiber ended;               // never resumed
  Checks checks;
  SyscallGate gate;
  SpinWatch spins;
  Snapshot snapshot;
};

// Null while the program runs natively.
State* state();

}  // namespace heddle::session
