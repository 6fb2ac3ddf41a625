#include "runtime/session/watchdog.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include "core/base/text_buffer.h"
#include "runtime/sched/kernel_signals.h"
#include "runtime/session/session.h"
#include "runtime/session/session_state.h"

namespace heddle::session {
namespace {

constexpr int kAsk = SIGSTKFLT;

// Calls `visit` with each line of a file of /proc.
template <typename Visit>
void for_each_line(const char* path, Visit visit) {
  const long file = raw_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char text[4096];
  char line[512];
  std::size_t used = 0;
  for (long got; (got = raw_syscall(SYS_read, file, text, sizeof text)) > 0;) {
    for (long i = 0; i < got; ++i) {
      if (text[i] != '\n') {
        if (used + 1 < sizeof line) line[used++] = text[i];
        continue;
      }
      line[used] = '\0';
      used = 0;
      visit(static_cast<const char*>(line));
    }
  }
  raw_syscall(SYS_close, file);
}

std::uint64_t parse_hex(const char*& at) {
  std::uint64_t value = 0;
  for (;; ++at) {
    if (*at >= '0' && *at <= '9') {
      value = value * 16 + static_cast<std::uint64_t>(*at - '0');
    } else if (*at >= 'a' && *at <= 'f') {
      value = value * 16 + static_cast<std::uint64_t>(*at - 'a' + 10);
    } else {
      return value;
    }
  }
}

// "libfoo.so.1+0x1234": the offset in the module as tools count it, from its first mapping.
void describe(std::uint64_t pc, char* result, std::size_t size) {
  TextBuffer<232> text;
  std::uint64_t module_begin = 0;
  char module[256] = {};
  for_each_line("/proc/self/maps", [&](const char* line) {
    const char* at = line;
    const std::uint64_t begin = parse_hex(at);
    if (*at == '-') ++at;
    const std::uint64_t end = parse_hex(at);
    while (*at != '\0' && *at != '/' && *at != '[') ++at;
    if (memcmp(at, module, strlen(at) + 1) != 0 || *at == '\0') {
      module_begin = begin;
      const std::size_t length = strlen(at) < sizeof module - 1 ? strlen(at) : sizeof module - 1;
      memcpy(module, at, length);
      module[length] = '\0';
    }
    if (pc >= begin && pc < end) {
      text << (module[0] != '\0' ? module : "memory without a file");
      text << '+';
      text.hex(pc - module_begin);
    }
  });
  const std::size_t length = text.size() < size - 1 ? text.size() : size - 1;
  memcpy(result, text.c_str(), length);
  result[length] = '\0';
}

void on_ask(int, siginfo_t* info, void* context) {
  if (info->si_code == SI_TIMER) return state()->spins.tick(context);
  engine::Execution* e = execution();
  if (e == nullptr) return;
  StuckPlace& stuck = e->channel().header()->stuck;
  stuck.pc = static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  stuck.last_pc = e->self().last_pc;
  stuck.thread = index_of(e->self().id);
  describe(stuck.pc, stuck.place, sizeof stuck.place);
  stuck.known = 1;
}

// "running", or the number and the arguments of the system call that blocks.
void look_up_system_call(long pid, StuckPlace& stuck) {
  TextBuffer<64> path;
  path << "/proc/";
  path.decimal(pid) << "/syscall";
  for_each_line(path.c_str(), [&](const char* line) {
    if (*line < '0' || *line > '9') return;
    std::int32_t number = 0;
    const char* at = line;
    for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + (*at - '0');
    stuck.system_call = number;
    if (memcmp(at, " 0x", 3) == 0) {
      at += 3;
      stuck.argument = parse_hex(at);
    }
  });
}

void pause_for_a_tenth() {
  timespec tenth{0, 100'000'000};
  raw_syscall(SYS_nanosleep, &tenth, 0);
}

}  // namespace

// On the stack of whoever runs: a thread that is found to spin is switched from there.
void install_watchdog() { sched::set_kernel_action(kAsk, on_ask, SA_SIGINFO | SA_NODEFER | SA_RESTART); }

void watch_spins() { state()->spins.start(kAsk); }

void ask_where(Channel channel, long pid) {
  ChannelHeader& h = *channel.header();
  h.stuck = StuckPlace{};
  h.stuck.index = h.current.index;
  look_up_system_call(pid, h.stuck);
  const std::uint64_t steps = h.current.steps;
  raw_syscall(SYS_kill, pid, kAsk);
  pause_for_a_tenth();
  pause_for_a_tenth();
  h.stuck.progressed = h.current.steps != steps ? 1 : 0;
}

}  // namespace heddle::session
