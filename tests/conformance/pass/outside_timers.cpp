// executions: 50
// Timers in virtual time: hours cost nothing.
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

std::atomic<int> rang{0};
void ring(int) { ++rang; }
void ring_in_thread(sigval value) { rang += value.sival_int; }

int main() {
  using namespace std::chrono;
  const auto began = steady_clock::now();
  sigset_t blocked, none;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGALRM);
  assert(sigprocmask(SIG_BLOCK, &blocked, nullptr) == 0);
  signal(SIGALRM, ring);
  assert(alarm(3600) == 0);
  assert(alarm(7200) == 3600);
  while (rang == 0) sigsuspend(&none);
  assert(steady_clock::now() - began >= hours(2));

  const itimerval every = {{1, 0}, {1, 0}};
  assert(setitimer(ITIMER_REAL, &every, nullptr) == 0);
  while (rang < 4) sigsuspend(&none);
  const itimerval never = {};
  assert(setitimer(ITIMER_REAL, &never, nullptr) == 0);

  timer_t timer = {};
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = ring_in_thread;
  event.sigev_value.sival_int = 100;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const itimerspec once = {{0, 0}, {10, 0}};
  assert(timer_settime(timer, 0, &once, nullptr) == 0);
  while (rang < 100) usleep(1000);
  assert(timer_delete(timer) == 0);

  const int descriptor = timerfd_create(CLOCK_MONOTONIC, 0);
  assert(descriptor >= 0);
  const itimerspec tick = {{5, 0}, {5, 0}};
  assert(timerfd_settime(descriptor, 0, &tick, nullptr) == 0);
  pollfd polled = {descriptor, POLLIN, 0};
  assert(poll(&polled, 1, 1000) == 0);  // a second is not enough
  assert(poll(&polled, 1, -1) == 1);
  std::uint64_t times = 0;
  assert(read(descriptor, &times, sizeof times) == sizeof times && times >= 1);
  sleep(50);
  assert(read(descriptor, &times, sizeof times) == sizeof times && times >= 9);
  close(descriptor);

  std::this_thread::sleep_for(hours(1000));
  assert(steady_clock::now() - began >= hours(1000));
  timespec time = {};
  for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW,
                                CLOCK_REALTIME_COARSE, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID})
    assert(clock_gettime(clock, &time) == 0);
  assert(clock_gettime(12345, &time) == -1);
}
