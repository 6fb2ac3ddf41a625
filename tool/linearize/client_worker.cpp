#include "tool/linearize/client_worker.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "tool/run/time_limit.h"

namespace heddle::linearize {
namespace {

void tell(ClientExchange& exchange) {
  exchange.changed.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &exchange.changed, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

// How an execution was chosen, as artifacts say it.
RunSpec spec_for(RunSpec spec, ClientSearch search) {
  if (search == ClientSearch::kGuided) spec.replay = ReplayKind::kGuided;
  if (search == ClientSearch::kExhaustive) std::strcpy(spec.strategy, "exhaustive");
  return spec;
}

}  // namespace

Result<ClientWorker> ClientWorker::start(const run::Target& target, const RunSpec& spec,
                                         std::size_t most_choices) {
  auto memory = run::SharedMemory::create("heddle-clients", CampaignState::kBytes);
  if (!memory) return memory.error();
  ClientWorker w;
  w.target_ = target;
  w.spec_ = spec;
  w.most_choices_ = most_choices;
  w.memory_ = std::move(*memory);
  new (w.memory_.data()) CampaignState;
  w.exchange().in_use.store(1);
  run::LaunchOptions launch;
  launch.mode = ChannelMode::kCampaign;
  launch.campaign = w.memory_.descriptor();
  launch.replay_room = most_choices;
  auto process = run::Process::launch(target, w.spec_, launch);
  if (!process) return process.error();
  w.worker_ = std::move(*process);
  return w;
}

ClientWorker::~ClientWorker() {
  if (memory_.data() == nullptr) return;
  state().stop.store(1);
  tell(exchange());
  // It ends by itself, and what it used is known then.
  constexpr std::uint64_t kPatience = 100'000'000;
  if (worker_.alive()) worker_.wait(kPatience);
}

Status ClientWorker::run(const Wish& wish, const Use& use) {
  if (wish.client.size() > ClientExchange::kMostText || wish.log.size() > most_choices_)
    return Error{"The test case is too long to be tried.", ExitCode::kOwnError};
  write(wish);
  return take_results(spec_for(spec_, wish.search), use);
}

void ClientWorker::write(const Wish& wish) {
  ClientExchange& to = exchange();
  to.length = static_cast<std::uint32_t>(wish.client.size());
  std::copy(wish.client.begin(), wish.client.end(), to.text);
  to.search = wish.search;
  to.choices = static_cast<std::uint32_t>(wish.log.size());
  if (!wish.log.empty()) std::copy(wish.log.begin(), wish.log.end(), worker_.channel().replay());
  if (wish.search == ClientSearch::kExhaustive && wish.client != searched_) {
    searched_ = wish.client;
    searched_before_ = granted_;
    to.begins_anew = 1;
    to.explored_all = 0;
  }
  to.none_left.store(0, std::memory_order_relaxed);
  granted_ += wish.executions;
  to.granted.store(granted_, std::memory_order_release);
  tell(to);
}

Status ClientWorker::take_results(const RunSpec& spec, const Use& use) {
  ChannelHeader& h = worker_.header();
  while (h.ring_read.load(std::memory_order_relaxed) < granted_) {
    const std::uint32_t seen = state().signal.load(std::memory_order_acquire);
    const bool none_left = exchange().none_left.load(std::memory_order_acquire) != 0;
    const bool ended = worker_.poll() || run::time_is_up();
    const std::uint64_t at = h.ring_read.load(std::memory_order_relaxed);
    if (at < h.ring_written.load(std::memory_order_acquire)) {
      const Channel channel = worker_.channel();
      const ExecutionResult result = channel.ring()[at % channel.ring_capacity()];
      // It waits until this was read: the channel holds it, and no other is begun before.
      if (result.findings != 0 && (result.flags & result_flags::kChoicesHeld) != 0) {
        auto trace = run::trace_of(target_, worker_, spec, result);
        if (!trace) return trace.error();
        const std::uint32_t length = std::min(exchange().history_length, ClientExchange::kMostHistory);
        if (!use(*trace, {exchange().history, length})) {
          granted_ = at + 1;
          exchange().granted.store(granted_, std::memory_order_release);
        }
      }
      h.ring_read.store(at + 1, std::memory_order_release);
      continue;
    }
    if (none_left || ended) {
      granted_ = at;
      exchange().granted.store(granted_, std::memory_order_release);
      if (none_left) return Done{};
      return Error{"The test ended while its clients were tried.", ExitCode::kOwnError};
    }
    timespec timeout{0, 20'000'000};
    syscall(SYS_futex, &state().signal, FUTEX_WAIT, seen, &timeout, nullptr, 0);
  }
  return Done{};
}

bool ClientWorker::explored_all() const {
  return state().torn.load() == 0 && exchange().none_left.load(std::memory_order_acquire) != 0 &&
         exchange().explored_all != 0;
}

double ClientWorker::expected_executions() const {
  const double covered =
      static_cast<double>(state().learning().search().covered.load(std::memory_order_relaxed)) * 0x1p-63;
  return static_cast<double>(granted_ - searched_before_) / std::max(covered, 1e-18);
}

}  // namespace heddle::linearize
