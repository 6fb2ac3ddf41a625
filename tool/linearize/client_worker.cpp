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
  // Batches that grow: few executions are run after the one that was looked for, and what is run does not
  // depend on timing.
  for (std::uint64_t done = 0; done < executions;) {
    const std::uint64_t batch = std::min(executions - done, std::clamp<std::uint64_t>(done / 2, 4, 64));
    const auto more = run_batch(batch, use);
    if (!more) return more.error();
    if (!*more) break;
    done += batch;
  }
  return Done{};
}

Result<bool> ClientWorker::run_batch(std::uint64_t executions, const std::function<bool(const Trace&)>& use) {
  granted_ += executions;
  state().learning().clients().granted.store(granted_, std::memory_order_release);
  tell(state().learning().clients());
  ChannelHeader& h = worker_.header();
  bool more = true;
  while (h.ring_read.load(std::memory_order_relaxed) < granted_) {
    const std::uint32_t seen = state().signal.load(std::memory_order_acquire);
    const bool ended = worker_.poll();
    const std::uint64_t at = h.ring_read.load(std::memory_order_relaxed);
    if (at < h.ring_written.load(std::memory_order_acquire)) {
      const Channel channel = worker_.channel();
      const ExecutionResult result = channel.ring()[at % channel.ring_capacity()];
      // It waits until this was read: the channel holds it.
      if (more && result.findings != 0 && (result.flags & result_flags::kChoicesHeld) != 0) {
        auto trace = run::trace_of(target_, worker_, spec_, result);
        if (!trace) return trace.error();
        more = use(*trace);
      }
      h.ring_read.store(at + 1, std::memory_order_release);
      continue;
    }
    if (ended) return Error{"The test ended while its clients were tried.", ExitCode::kOwnError};
    timespec timeout{0, 20'000'000};
    syscall(SYS_futex, &state().signal, FUTEX_WAIT, seen, &timeout, nullptr, 0);
  }
  return more;
}

}  // namespace heddle::linearize
