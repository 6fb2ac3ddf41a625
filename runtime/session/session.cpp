#include "runtime/session/session.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>

#include "core/base/pages.h"
#include "core/trace/strategy_spec.h"
#include "runtime/session/checks.h"
#include "runtime/session/crash.h"
#include "runtime/session/modules.h"
#include "runtime/session/prefix_files.h"
#include "runtime/session/session_state.h"
#include "runtime/session/syscall_gate.h"
#include "runtime/session/watchdog.h"
#include "runtime/session/zygote.h"
#include "runtime/strategy/client_strategy.h"
#include "runtime/strategy/plan.h"
#include "runtime/strategy/registry.h"

namespace heddle::session {
namespace {

State* the_state = nullptr;

// Room for objects that are made when the session starts; the program's heap is not ours.
struct Room {
  alignas(strategy::ReplayStrategy) unsigned char replay[sizeof(strategy::ReplayStrategy)];
  alignas(strategy::PlanStrategy) unsigned char plan[sizeof(strategy::PlanStrategy)];
  alignas(strategy::ClientStrategy) unsigned char clients[sizeof(strategy::ClientStrategy)];
  alignas(64) unsigned char execution[sizeof(engine::Execution)];
};
Room room;

int channel_descriptor(char** environment) {
  const std::size_t length = strlen(kChannelVariable);
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const char* entry = *environment;
    if (memcmp(entry, kChannelVariable, length) != 0 || entry[length] != '=') continue;
    int descriptor = 0;
    for (char** rest = environment; *rest != nullptr; ++rest)
      rest[0] = rest[1];  // not for the program's children
    for (const char* digit = entry + length + 1; *digit >= '0' && *digit <= '9'; ++digit) {
      descriptor = descriptor * 10 + (*digit - '0');
    }
    return descriptor;
  }
  return -1;
}

void* map_shared(int descriptor, std::uint64_t& bytes) {
  struct stat status{};
  if (raw_syscall(SYS_fstat, descriptor, &status) != 0) return nullptr;
  bytes = static_cast<std::uint64_t>(status.st_size);
  const long mapped = raw_syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return mapped < 0 && mapped > -4096 ? nullptr : reinterpret_cast<void*>(mapped);
}

// Out of memory, the kernel should take an execution and not the tool.
void offer_to_the_oom_killer() {
  const long file = raw_syscall(SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  raw_syscall(SYS_write, file, "1000", 4);
  raw_syscall(SYS_close, file);
}

// From here on blocking system calls would keep others from running.
void watch_syscalls() {
  set_syscall_gate(&state()->gate);
  state()->gate.close();
}

void at_first_choice() {
  State& s = *state();
  ChannelHeader& h = *s.channel.header();
  note_modules();
  if (h.mode == ChannelMode::kSingle) {
    watch_syscalls();
    watch_spins();
    s.execution->begin(h.single_index);
    return;
  }
  s.prefix = h.current;
  s.prefix_events = h.event_count.load(std::memory_order_relaxed);
  s.prefix_findings = h.finding_count.load(std::memory_order_relaxed);
  s.prefix_stack_places = h.stack_place_count;
  s.prefix_text = h.text_used.load(std::memory_order_relaxed);
  if (h.output_fd >= 0) s.prefix_output = raw_syscall(SYS_lseek, h.output_fd, 0, SEEK_CUR);
  keep_offsets(h.output_fd);
  // Two more for a batch; where each execution has a process of its own, every fork would pay for them.
  s.threads_wanted =
      s.execution->scheduler().thread_count() + (h.spec.repetition == RepetitionKind::kFork ? 0 : 2);
  h.state.store(WorkerState::kZygote, std::memory_order_release);
  become_zygote();
}

void kernel_changes(long number) {
  if (SyscallGate* gate = syscall_gate()) gate->open(number);
}

// nullptr: the tool gives none.
ClientExchange* clients_in_use() {
  CampaignState* campaign = the_state != nullptr ? the_state->campaign : nullptr;
  if (campaign == nullptr) return nullptr;
  ClientExchange& clients = campaign->learning().clients();
  return clients.in_use.load(std::memory_order_acquire) != 0 ? &clients : nullptr;
}

// Where the tool gives clients it also says, with each, who chooses.
strategy::Strategy* strategy_of_clients(const RunSpec& spec, strategy::Strategy& strategy) {
  StrategySpec parsed;
  TextBuffer<512> error;
  HEDDLE_CHECK(parsed.parse(spec.strategy, error));
  return new (room.clients) strategy::ClientStrategy(strategy, parsed, state()->channel.replay());
}

strategy::Strategy* chosen_strategy(const RunSpec& spec) {
  if (spec.replay == ReplayKind::kNone) {
    strategy::Strategy* chosen = strategy::make_strategy(spec.strategy);
    const bool has_clients = clients_in_use() != nullptr;
    return chosen != nullptr && has_clients ? strategy_of_clients(spec, *chosen) : chosen;
  }
  const std::span<const Choice> log{state()->channel.replay(), state()->channel.header()->replay_count};
  if (spec.replay == ReplayKind::kPlan) {
    auto* plan = new (room.plan) strategy::PlanStrategy;
    plan->set_log(log);
    return plan;
  }
  auto* replay = new (room.replay) strategy::ReplayStrategy;
  replay->set_log(log, spec.replay == ReplayKind::kExact);
  return replay;
}

}  // namespace

State* state() { return the_state; }

std::string_view given_client() {
  const ClientExchange* clients = clients_in_use();
  return clients != nullptr ? std::string_view(clients->text, clients->length) : std::string_view();
}

void give_history(std::string_view history) {
  ClientExchange* clients = clients_in_use();
  if (clients == nullptr) return;
  clients->history_length = 0;
  if (history.size() > ClientExchange::kMostHistory) return;
  memcpy(clients->history, history.data(), history.size());
  clients->history_length = static_cast<std::uint32_t>(history.size());
}

engine::Execution* execution() { return the_state != nullptr ? the_state->execution : nullptr; }

bool attach(char** environment) {
  const int descriptor = channel_descriptor(environment);
  if (descriptor < 0) return false;
  std::uint64_t bytes = 0;
  void* mapping = map_shared(descriptor, bytes);
  if (mapping == nullptr || !Channel::valid(mapping, bytes)) return false;
  ChannelHeader& h = *Channel(mapping).header();
  // A program that this one starts is no part of the session, even if it was built with heddle, too.
  if (h.state.load(std::memory_order_acquire) != WorkerState::kStarting) return false;
  raw_syscall(SYS_close, descriptor);
  void* block = map_pages_at(kStateAddress, sizeof(State));
  HEDDLE_CHECK(block != nullptr);
  the_state = new (block) State;
  the_state->channel = Channel(mapping);
  return true;
}

engine::Execution* start() {
  State& s = *state();
  ChannelHeader& h = *s.channel.header();
  if (h.campaign_fd >= 0) {
    std::uint64_t campaign_bytes = 0;
    s.campaign = static_cast<CampaignState*>(map_shared(h.campaign_fd, campaign_bytes));
    HEDDLE_CHECK(s.campaign != nullptr);
    raw_syscall(SYS_close, h.campaign_fd);
  }
  offer_to_the_oom_killer();
  s.strategy = chosen_strategy(h.spec);
  HEDDLE_CHECK(s.strategy != nullptr);
  s.strategy->attach(s.campaign != nullptr ? &s.campaign->learning() : nullptr);
  h.heap_address = address_map::kHeap;
  note_modules();
  h.program_address = h.module_count != 0 ? h.modules[0].base : 0;
  s.execution = new (room.execution) engine::Execution;
  s.execution->start(s.channel, s.strategy, {at_first_choice, end_execution, kernel_changes, watch_syscalls});
  h.current.threads = 1;
  h.state.store(WorkerState::kPrefix, std::memory_order_release);
  install_crash_handlers();
  install_watchdog();
  return s.execution;
}

void leave_engine() {
  the_state->execution = nullptr;
  the_state->channel = Channel();
  the_state->serving = false;
}

void touches_outside(const char* what) {
  if (the_state == nullptr || the_state->campaign == nullptr) return;
  the_state->campaign->outside.touch(what);
  the_state->channel.header()->current.flags |= result_flags::kChangedOutside;
}

void asks_for_variable(const char* name, std::size_t length) {
  if (the_state != nullptr && the_state->channel) the_state->channel.header()->asked.add(name, length);
}

void note_modules() {
  engine::RuntimeScope scope;
  write_modules(the_state->channel);
}

void program_ended() { the_state->execution->settle(); }

void program_exits(int status) {
  the_state->channel.header()->current.status = status;
  the_state->execution->check_at_exit();
  end_checks(status);
}

}  // namespace heddle::session
