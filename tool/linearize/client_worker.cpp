#include "tool/linearize/client_worker.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

namespace heddle::linearize {
namespace {

// Never on offer: guided replay waits there, and takes what is unsurprising from then on.
constexpr Choice nothing() {
  return Choice::make(ChoiceKind::kThread, 0, ChoiceKey::thread(ThreadId{0xffff}));
}

void tell(ClientExchange& exchange) {
  exchange.changed.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &exchange.changed, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace

Result<ClientWorker> ClientWorker::start(const run::Target& target, const RunSpec& spec,
                                         std::size_t most_choices) {
  auto memory = run::SharedMemory::create("heddle-clients", CampaignState::kBytes);
  if (!memory) return memory.error();
  ClientWorker w;
  w.target_ = target;
  w.spec_ = spec;
  w.spec_.record_events = 1;  // a history is in the events
  w.most_choices_ = most_choices;
  w.memory_ = std::move(*memory);
  new (w.memory_.data()) CampaignState;
  w.state().learning().clients().in_use.store(1);
  const std::vector<Choice> room(most_choices, nothing());
  run::LaunchOptions launch;
  launch.mode = ChannelMode::kCampaign;
  launch.campaign = w.memory_.descriptor();
  launch.replay = room;
  auto process = run::Process::launch(target, w.spec_, launch);
  if (!process) return process.error();
  w.worker_ = std::move(*process);
  return w;
}

ClientWorker::~ClientWorker() {
  if (memory_.data() == nullptr) return;
  state().stop.store(1);
  tell(state().learning().clients());
  // It ends by itself, and what it used is known then.
  constexpr std::uint64_t kPatience = 100'000'000;
  if (worker_.alive()) worker_.wait(kPatience);
}

Status ClientWorker::run(const std::string& client, std::uint64_t executions,
                         const std::function<bool(const Trace&)>& use, std::span<const Choice> log) {
  ClientExchange& exchange = state().learning().clients();
  if (client.size() > ClientExchange::kMostText || log.size() > most_choices_)
    return Error{"The test case is too long to be tried.", ExitCode::kOwnError};
  exchange.length = static_cast<std::uint32_t>(client.size());
  std::copy(client.begin(), client.end(), exchange.text);
  if (most_choices_ != 0) {
    Choice* to = worker_.channel().replay();
    std::fill(std::copy(log.begin(), log.end(), to), to + most_choices_, nothing());
  }
  latest_client_ = client;
  granted_ += executions;
  exchange.granted.store(granted_, std::memory_order_release);
  tell(exchange);
  return take_results(use);
}

Status ClientWorker::take_results(const std::function<bool(const Trace&)>& use) {
  ChannelHeader& h = worker_.header();
  while (h.ring_read.load(std::memory_order_relaxed) < granted_) {
    const std::uint32_t seen = state().signal.load(std::memory_order_acquire);
    const bool ended = state().none_left.load(std::memory_order_acquire) != 0 || worker_.poll();
    const std::uint64_t at = h.ring_read.load(std::memory_order_relaxed);
    if (at < h.ring_written.load(std::memory_order_acquire)) {
      const Channel channel = worker_.channel();
      const ExecutionResult result = channel.ring()[at % channel.ring_capacity()];
      // It waits until this was read: the channel holds it, and no other is begun before.
      if (result.findings != 0 && (result.flags & result_flags::kChoicesHeld) != 0) {
        auto trace = run::trace_of(target_, worker_, spec_, result);
        if (!trace) return trace.error();
        if (!use(*trace)) {
          granted_ = at + 1;
          state().learning().clients().granted.store(granted_, std::memory_order_release);
        }
      }
      h.ring_read.store(at + 1, std::memory_order_release);
      continue;
    }
    if (ended) {
      granted_ = at;
      if (explored_all()) return Done{};
      return Error{"The test ended while its clients were tried.", ExitCode::kOwnError};
    }
    timespec timeout{0, 20'000'000};
    syscall(SYS_futex, &state().signal, FUTEX_WAIT, seen, &timeout, nullptr, 0);
  }
  return Done{};
}

double ClientWorker::expected_executions() const {
  const double covered =
      static_cast<double>(state().learning().search().covered.load(std::memory_order_relaxed)) * 0x1p-63;
  return static_cast<double>(granted_) / std::max(covered, 1e-18);
}

}  // namespace heddle::linearize
