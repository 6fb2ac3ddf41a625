#include "tool/replay/candidates.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <new>

#include "tool/run/interruption.h"
#include "tool/run/not_run.h"

namespace heddle::replay {
namespace {

constexpr std::size_t kMostChoices = std::size_t{1} << 20;  // of a log that is set later

// What is not used stays as it comes from the kernel.
void copy_paths(const PathQuestion& from, PathQuestion& to) {
  to.paths = from.paths;
  const auto copy = [](const auto* begin, std::size_t count, auto* into) { std::copy_n(begin, count, into); };
  std::size_t steps = 0, loops = 0;
  for (std::uint32_t i = 0; i < from.paths; ++i) {
    steps = std::max<std::size_t>(steps, from.path[i].first_step + from.path[i].steps);
    loops = std::max<std::size_t>(loops, from.path[i].first_loop + from.path[i].loops);
  }
  copy(from.path, from.paths, to.path);
  copy(from.loop, loops, to.loop);
  copy(from.step, steps, to.step);
}

}  // namespace

Result<Candidates> Candidates::start(const run::Target& target, const RunSpec& spec, const Trace& original) {
  Candidates c;
  c.target_ = target;
  c.spec_ = spec;
  c.spec_.replay = ReplayKind::kPlan;
  c.spec_.record_events = 0;
  c.log_ = original.choices;
  c.execution_ = original.execution;
  if (auto status = c.relaunch(); !status) return status.error();
  return c;
}

Result<Candidates> Candidates::start_along(const run::Target& target, RunSpec spec, const Trace& original,
                                           std::shared_ptr<const PathQuestion> paths) {
  Candidates c;
  c.target_ = target;
  c.spec_ = spec;
  c.spec_.replay = ReplayKind::kPlan;
  c.spec_.record_events = 0;
  c.spec_.follows_paths = 1;
  c.log_ = original.choices;
  c.execution_ = original.execution;
  c.paths_ = std::move(paths);
  if (auto status = c.relaunch(); !status) return status.error();
  return c;
}

Candidates::~Candidates() {
  if (memory_.data() == nullptr) return;
  exchange().closed.store(1);
  syscall(SYS_futex, &exchange().given, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

Status Candidates::relaunch() {
  auto memory = run::SharedMemory::create("heddle-plans", CampaignState::kBytes);
  if (!memory) return memory.error();
  worker_ = {};
  memory_ = std::move(*memory);
  new (memory_.data()) CampaignState;
  exchange().execution = execution_;
  if (paths_ != nullptr) copy_paths(*paths_, exchange().paths);
  run::LaunchOptions launch;
  launch.mode = ChannelMode::kCampaign;
  launch.campaign = memory_.descriptor();
  launch.replay = log_;
  if (paths_ != nullptr) launch.replay_room = kMostChoices;
  auto process = run::Process::launch(target_, spec_, launch);
  if (!process) return process.error();
  worker_ = std::move(*process);
  return Done{};
}

std::vector<DepartureMade> Candidates::departures_made() const {
  const std::uint32_t count = std::min(exchange().made_count.load(), PlanExchange::kMost);
  return {exchange().made, exchange().made + count};
}

Result<Candidates::Outcome> Candidates::follow(std::span<const Departure> plan, bool list_others,
                                               std::optional<Hold> hold) {
  return execute([&](PlanExchange& e) {
    e.follow_log = e.drawn_from = 0;
    e.list_others = list_others ? 1 : 0;
    e.holds = hold ? 1 : 0;
    e.hold = hold.value_or(Hold{});
    e.count = static_cast<std::uint32_t>(std::min<std::size_t>(plan.size(), PlanExchange::kMost));
    std::copy_n(plan.begin(), e.count, e.plan);
    std::sort(e.plan, e.plan + e.count,
              [](const Departure& a, const Departure& b) { return a.place < b.place; });
  });
}

Result<Candidates::Outcome> Candidates::follow_log() {
  return execute([](PlanExchange& e) {
    e.follow_log = 1;
    e.drawn_from = 0;
  });
}

Result<Candidates::Outcome> Candidates::follow_beginning(std::uint32_t choices, const Drawn& drawn) {
  return execute([&](PlanExchange& e) {
    e.follow_log = 1;
    e.list_others = 0;
    e.drawn_from = choices + 1;
    e.drawn_seed = drawn.seed;
    e.drawn_stay = drawn.stay;
    e.drawn_newest = drawn.newest ? 1 : 0;
    e.log_choices = paths_ != nullptr ? 1 + static_cast<std::uint32_t>(log_.size()) : 0;
  });
}

bool Candidates::set_log(std::span<const Choice> log) {
  if (paths_ == nullptr || log.size() > kMostChoices) return false;
  log_.assign(log.begin(), log.end());
  if (worker_.alive()) std::copy(log_.begin(), log_.end(), worker_.channel().replay());
  return true;
}

// A worker that was killed from outside is replaced, and the plan is given to the new one.
Result<Candidates::Outcome> Candidates::execute(const std::function<void(PlanExchange&)>& write_plan) {
  constexpr int kMostDeaths = 2;
  ++executed_;
  for (int deaths = 0;;) {
    if (!worker_.alive()) {
      if (auto status = relaunch(); !status) return status.error();
    }
    write_plan(exchange());
    exchange().given.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &exchange().given, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
    if (await_result()) return collect();
    if (!worker_.was_killed_from_outside() || ++deaths == kMostDeaths) break;
  }
  // It ended before its first choice, or died: what there is to say is in the channel.
  Outcome outcome;
  outcome.result = run::conclude(worker_, false);
  if (auto error = run::limit_error(worker_, outcome.result)) return *error;
  if (auto error = worker_.was_killed_from_outside() ? std::nullopt : run::start_error(worker_))
    return *error;
  if (worker_.header().state.load() >= WorkerState::kZygote) outcome.result.ending = Ending::kInternalError;
  return outcome;
}

// False: the worker has died. One that neither answers nor dies is killed.
bool Candidates::await_result() {
  using Clock = std::chrono::steady_clock;
  const ChannelHeader& h = worker_.header();
  const auto has_result = [&] {
    return h.ring_written.load(std::memory_order_acquire) > h.ring_read.load(std::memory_order_relaxed);
  };
  // Its zygote ends an execution whose time is up. This is for a zygote that is stopped, or hangs itself.
  constexpr auto kPatience = std::chrono::seconds(10);
  const auto until = Clock::now() + std::chrono::nanoseconds(4 * spec_.timeout_ns) + kPatience;
  while (!has_result()) {
    const std::uint32_t seen = state().signal.load(std::memory_order_acquire);
    if (has_result()) break;
    if (worker_.poll()) return has_result();
    if (run::was_interrupted() || Clock::now() > until) {
      worker_.kill();
      return false;
    }
    timespec timeout{0, 50'000'000};
    syscall(SYS_futex, &state().signal, FUTEX_WAIT, seen, &timeout, nullptr, 0);
  }
  return true;
}

Result<Candidates::Outcome> Candidates::collect() {
  ChannelHeader& h = worker_.header();
  const Channel channel = worker_.channel();
  const std::uint64_t at = h.ring_read.load(std::memory_order_relaxed);
  Outcome outcome;
  outcome.result = channel.ring()[at % channel.ring_capacity()];
  if (auto error = run::limit_error(worker_, outcome.result)) return *error;
  outcome.departures = departures_made();
  outcome.switches = exchange().switches;
  const PlanExchange& e = exchange();
  if (e.list_others != 0)
    outcome.others.assign(e.others, e.others + std::min(e.other_count, PlanExchange::kMost));
  outcome.cut = exchange().overflow != 0 || outcome.result.choices > channel.choice_capacity();
  if (keeps_logs_ || outcome.result.findings != 0 || outcome.result.ending != Ending::kExited ||
      outcome.result.status != 0) {
    const std::uint32_t count = std::min(outcome.result.choices, channel.choice_capacity());
    outcome.choices.assign(channel.choices(), channel.choices() + count);
  }
  h.ring_read.store(at + 1, std::memory_order_release);
  return outcome;
}

Result<Candidates::Explained> Candidates::explain(const RunSpec& spec, std::span<const Choice> choices,
                                                  Others others, std::size_t kept_events) {
  auto memory = run::SharedMemory::create("heddle-plan", CampaignState::kBytes);
  if (!memory) return memory.error();
  auto* state = new (memory->data()) CampaignState;
  auto* exchange = static_cast<PlanExchange*>(state->learning().path());
  exchange->execution = execution_;
  exchange->follow_log = 1;
  exchange->list_others = others == Others::kList ? 1 : 0;
  RunSpec follow = spec;
  follow.replay = ReplayKind::kPlan;
  run::SingleOptions options;
  options.index = execution_;
  options.replay = choices;
  options.kept_events = kept_events;
  options.campaign = memory->descriptor();
  auto run = run::run_single(target_, follow, options);
  if (!run) return run.error();
  const std::uint32_t count = std::min(exchange->made_count.load(), PlanExchange::kMost);
  const std::uint32_t other_count = std::min(exchange->other_count, PlanExchange::kMost);
  return Explained{std::move(*run),
                   {exchange->made, exchange->made + count},
                   {exchange->others, exchange->others + other_count},
                   exchange->switches};
}

}  // namespace heddle::replay
