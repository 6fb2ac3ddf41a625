#include "runtime/session/spin_watch.h"

#include <time.h>
#include <ucontext.h>

#include "core/base/random.h"
#include "core/base/raw_syscall.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/library_watch.h"
#include "runtime/engine/own_code.h"
#include "runtime/session/session.h"

namespace heddle::session {
namespace {

constexpr long kTickNanoseconds = 1'000'000;
// A loop that was found once is known by the code around it.
constexpr std::uint64_t kReach = 256;

bool is_watched_code(std::uint64_t pc) { return !engine::is_own_code(pc) && !engine::is_instrumented(pc); }

}  // namespace

void SpinWatch::prepare() {
  if (!is_prepared_) is_wanted_ = engine::calls_foreign_libraries();
  is_prepared_ = true;
}

void SpinWatch::start(int signal) {
  prepare();
  if (!is_wanted_) return;
  place_count_ = 0;
  // The kernel's layout: libc's hides the thread's id.
  struct Event {
    void* value;
    int signal;
    int notify;
    int thread;
    int padding[11];
  } event{};
  event.signal = signal;
  event.notify = SIGEV_SIGNAL | 4;  // SIGEV_THREAD_ID
  event.thread = static_cast<int>(raw_syscall(SYS_gettid));
  int timer = 0;
  if (raw_syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
  const itimerspec every{{0, kTickNanoseconds}, {0, kTickNanoseconds}};
  raw_syscall(SYS_timer_settime, timer, 0, &every, 0);
}

void SpinWatch::tick(void* context) {
  engine::Execution* e = execution();
  if (e == nullptr || engine::RuntimeScope::active()) return;
  const greg_t* registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  const auto pc = static_cast<std::uint64_t>(registers[REG_RIP]);
  const std::uint64_t steps = e->channel().header()->current.steps;
  if (steps != steps_ || !is_watched_code(pc)) {
    steps_ = steps;
    sample_count_ = 0;
    return;
  }
  std::uint64_t state = 0;
  for (int i = REG_R8; i <= REG_RIP; ++i) state = mix(state, static_cast<std::uint64_t>(registers[i]));
  if (!is_known(pc)) {
    if (!comes_back(state)) return;
    remember(pc);
  }
  sample_count_ = 0;
  e->stand_back(pc);
}

bool SpinWatch::comes_back(std::uint64_t state) {
  for (std::uint32_t i = 0; i < sample_count_; ++i) {
    if (samples_[i] == state) return true;
  }
  if (sample_count_ == kSamples) sample_count_ = 0;
  samples_[sample_count_++] = state;
  return false;
}

bool SpinWatch::is_known(std::uint64_t pc) const {
  for (std::uint32_t i = 0; i < place_count_; ++i) {
    if (pc + kReach > places_[i] && pc < places_[i] + kReach) return true;
  }
  return false;
}

void SpinWatch::remember(std::uint64_t pc) {
  if (place_count_ < kPlaces) places_[place_count_++] = pc;
}

}  // namespace heddle::session
