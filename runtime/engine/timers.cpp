// Timers that have expired in virtual time: a signal is sent, or a timerfd becomes readable.
#include "runtime/engine/execution.h"
#include "runtime/engine/signals.h"

namespace heddle::engine {

void Execution::fire_timers() {
  std::uint64_t times = 0;
  for (;;) {
    const std::uint32_t index = timers_.expire(scheduler_.now(), times);
    if (index == sched::TimerTable::kMost) return;
    sched::Timer& timer = timers_.at(index);
    if (timer.descriptor >= 0) {
      raw_syscall(SYS_write, timer.descriptor, &times, sizeof times);
      changed();
      io_happened();
      continue;
    }
    if (timer.signal == 0) continue;
    timer.overruns = static_cast<std::uint32_t>(times - 1);
    sched::QueuedSignal q;
    q.signal = timer.signal;
    q.target = timer.target;
    q.info.si_signo = timer.signal;
    q.info.si_code = index < sched::TimerTable::kFirstFree ? SI_KERNEL : SI_TIMER;
    q.info.si_value.sival_ptr = timer.value;
    q.info.si_timerid = static_cast<int>(index);
    q.info.si_overrun = static_cast<int>(timer.overruns);
    queue_signal(*this, q);
  }
}

}  // namespace heddle::engine
