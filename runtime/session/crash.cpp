#include "runtime/session/crash.h"

#include <signal.h>
#include <ucontext.h>

#include "core/base/pages.h"
#include "core/base/text_buffer.h"
#include "runtime/engine/signals.h"
#include "runtime/sched/kernel_signals.h"
#include "runtime/session/session.h"
#include "runtime/session/zygote.h"

namespace heddle::session {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
constexpr std::size_t kAlternateStack = 256 * 1024;

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGABRT:
      return "SIGABRT";
    case SIGSYS:
      return "SIGSYS";
    default:
      return "signal";
  }
}

bool below_stack(const sched::Thread& t, std::uint64_t address) {
  const std::uint64_t low = t.id == kMainThread ? address_map::kMainStack + kPageSize : t.stack_low;
  return low != 0 && address >= low - kPageSize && address < low;
}

// A process that the program forked for itself (a death test, say) dies as it would without us.
void die_natively(int signal) {
  sched::set_kernel_action(signal, nullptr, 0);
  raw_syscall(SYS_kill, raw_syscall(SYS_getpid), signal);
}

}  // namespace

void on_crash(int signal, siginfo_t* info, void* context) {
  engine::Execution* e = execution();
  const auto pc = static_cast<std::uint64_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
  if (e == nullptr) return die_natively(signal);
  const bool overflow = signal == SIGSEGV && below_stack(e->self(), address);
  if (handle_fault(*e, signal, info, context, overflow)) return;
  note_crash();
  report_unhandled_fault(*e);
  if (overflow) {
    // Hundreds of thousands of frames: the pc is one of many and no part of the bug's identity.
    e->fatal(FindingKind::kStackOverflow, "the thread's stack is used up", pc + 1, signal);
  }
  TextBuffer<128> text;
  text << name_of(signal);
  if (signal == SIGSEGV || signal == SIGBUS) {
    text << " at address ";
    text.hex(address);
  }
  e->fatal(FindingKind::kSignal, text.c_str(), pc + 1, signal);
}

bool is_crash_signal(int signal) {
  for (const int s : kSignals) {
    if (s == signal) return true;
  }
  return false;
}

void install_crash_handlers() {
  stack_t stack{};
  stack.ss_sp = map_pages(kAlternateStack);
  stack.ss_size = kAlternateStack;
  raw_syscall(SYS_sigaltstack, &stack, 0);
  for (const int signal : kSignals) {
    sched::set_kernel_action(signal, on_crash, SA_SIGINFO | SA_ONSTACK | SA_NODEFER);
  }
}

}  // namespace heddle::session
