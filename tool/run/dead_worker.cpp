#include "tool/run/dead_worker.h"

#include <signal.h>

#include <algorithm>

namespace heddle::run {
namespace {

// An execution is given up when it was killed from outside as often as this
// (runtime/session/held_execution.cpp has the same number for executions whose zygote lives).
constexpr std::uint32_t kMostDeaths = 2;

bool is_published(const Process& dead, std::uint64_t index) {
  const ChannelHeader& h = dead.header();
  const std::uint64_t written = h.ring_written.load();
  const Channel channel = dead.channel();
  return written != 0 && channel.ring()[(written - 1) % channel.ring_capacity()].index == index;
}

// What becomes of an execution that was ready to begin, or under way: once more, or never.
Legacy unfinished(const Process& dead, CampaignState& state, std::uint64_t index) {
  const ChannelHeader& h = dead.header();
  Legacy legacy;
  const std::uint32_t deaths = h.deaths.load() + 1;
  legacy.takeover = {Phase::kReady, deaths, h.done.load()};
  if (deaths < kMostDeaths) return legacy;
  state.torn.store(1);
  ExecutionResult result;
  if (h.current.index == index) result = h.current;
  result.index = index;
  result.ending = Ending::kSignalled;
  result.status = SIGKILL;
  state.learning().record(result);
  legacy.result = result;
  legacy.takeover = {Phase::kIdle, 0, index + 1};
  return legacy;
}

// What becomes of an execution that was over, and on its way into the ring.
Legacy finished(const Process& dead, CampaignState& state, Phase phase) {
  const ChannelHeader& h = dead.header();
  if (phase == Phase::kFinishing) {
    state.learning().note(h.current);
    state.count(h.current);
  }
  Legacy legacy;
  if (!is_published(dead, h.current.index)) legacy.result = h.current;
  legacy.takeover = {Phase::kIdle, 0, h.current.index + 1};
  return legacy;
}

}  // namespace

Legacy legacy_of(const Process& dead, std::uint32_t worker, CampaignState& state) {
  const ChannelHeader& h = dead.header();
  const Phase phase = h.phase.load();
  const std::uint64_t index = state.claims.latest(worker);
  Legacy legacy;
  legacy.takeover.done = h.done.load();
  switch (phase) {
    case Phase::kIdle:
      return legacy;
    case Phase::kTaking:
      if (index != IndexClaims::kNone && index >= h.done.load()) legacy.takeover.phase = Phase::kTaken;
      return legacy;
    case Phase::kPreparing:
      state.torn.store(1);
      [[fallthrough]];
    case Phase::kTaken:
      legacy.takeover.phase = Phase::kTaken;
      return legacy;
    case Phase::kReady:
      return unfinished(dead, state, index);
    case Phase::kFinishing:
    case Phase::kCounting:
    case Phase::kPublishing:
      return finished(dead, state, phase);
  }
  return legacy;  // the program has overwritten it
}

void CompletionWatch::look(std::span<const Process> workers, CampaignState& state, double now) {
  constexpr double kPatience = 0.5;
  bool any = false;
  const bool all_wait = std::all_of(workers.begin(), workers.end(), [&](const Process& worker) {
    any = any || worker.alive();
    return !worker.alive() || worker.header().phase.load() == Phase::kTaken;
  });
  const std::uint64_t completed = state.learning().completed();
  if (!any || !all_wait || !all_wait_ || completed != completed_) {
    since_ = now;
  } else if (now - since_ > kPatience) {
    state.learning().count_completed();
    since_ = now;
  }
  all_wait_ = all_wait;
  completed_ = completed;
}

}  // namespace heddle::run
