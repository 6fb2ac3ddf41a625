// executions: 150
// Handlers run on the thread that takes the signal; masks are each thread's own; waits are broken off.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <thread>

std::atomic<int> handled{0};
std::atomic<pthread_t> handler_thread{};
int sent_value = 0;

void handle(int) {
  handler_thread = pthread_self();
  ++handled;
}
void take_value(int, siginfo_t* info, void*) {
  assert(info->si_code == SI_QUEUE && info->si_pid == getpid());
  sent_value = info->si_value.sival_int;
}

int main() {
  struct sigaction action = {};
  action.sa_handler = handle;
  assert(sigaction(SIGUSR1, &action, nullptr) == 0);
  struct sigaction old = {};
  assert(sigaction(SIGUSR1, nullptr, &old) == 0 && old.sa_handler == handle);

  assert(raise(SIGUSR1) == 0 && handled == 1);
  assert(kill(getpid(), SIGUSR1) == 0 && handled == 2);

  // A thread that sleeps is woken by a signal of its own.
  std::thread sleeper([] {
    const timespec long_time = {3600, 0};
    timespec left = {};
    while (handled == 2) {
      if (nanosleep(&long_time, &left) != 0) assert(errno == EINTR && left.tv_sec > 0);
    }
  });
  assert(pthread_kill(sleeper.native_handle(), SIGUSR1) == 0);
  const pthread_t target = sleeper.native_handle();
  sleeper.join();
  assert(handled == 3 && pthread_equal(handler_thread, target));

  // Blocked here, taken by the thread that waits for it.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  assert(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  std::thread waiter([&set] {
    int signal = 0;
    assert(sigwait(&set, &signal) == 0 && signal == SIGUSR2);
  });
  assert(kill(getpid(), SIGUSR2) == 0);
  waiter.join();
  sigset_t pending;
  assert(raise(SIGUSR2) == 0 && sigpending(&pending) == 0 && sigismember(&pending, SIGUSR2) == 1);
  const timespec now = {};
  assert(sigtimedwait(&set, nullptr, &now) == SIGUSR2);
  assert(sigtimedwait(&set, nullptr, &now) == -1 && errno == EAGAIN);

  // SA_SIGINFO and queued values.
  action = {};
  action.sa_sigaction = take_value;
  action.sa_flags = SA_SIGINFO;
  assert(sigaction(SIGRTMIN, &action, nullptr) == 0);
  assert(sigqueue(getpid(), SIGRTMIN, sigval{.sival_int = 42}) == 0 && sent_value == 42);

  // sigsuspend lets in what is blocked.
  action = {};
  action.sa_handler = handle;
  assert(sigaction(SIGUSR2, &action, nullptr) == 0);
  assert(raise(SIGUSR2) == 0 && handled == 3);
  sigemptyset(&set);
  assert(sigsuspend(&set) == -1 && errno == EINTR && handled == 4);

  // A read that waits returns EINTR, or goes on where the handler asks for it.
  int ends[2];
  assert(pipe(ends) == 0);
  std::thread reader([&ends] {
    char byte = 0;
    ssize_t got = 0;
    while ((got = read(ends[0], &byte, 1)) < 0) assert(errno == EINTR);
    assert(got == 1 && byte == 'x');
  });
  assert(pthread_kill(reader.native_handle(), SIGUSR1) == 0);
  assert(write(ends[1], "x", 1) == 1);
  reader.join();
  assert(handled == 5);
}
