// executions: 30
// A signalfd takes blocked signals; SIGCHLD comes from a real child.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static void* send(void* unused) {
  assert(kill(getpid(), SIGUSR1) == 0);
  return unused;
}

static volatile sig_atomic_t ended;
static void on_child(int signal) { ended = signal; }

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  const int descriptor = signalfd(-1, &set, 0);
  assert(descriptor >= 0);
  pthread_t thread;
  assert(pthread_create(&thread, NULL, send, NULL) == 0);
  struct signalfd_siginfo info;
  assert(read(descriptor, &info, sizeof info) == sizeof info);
  assert(info.ssi_signo == SIGUSR1 && (pid_t)info.ssi_pid == getpid());
  assert(pthread_join(thread, NULL) == 0);

  sigaddset(&set, SIGCHLD);
  assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  struct sigaction action = {.sa_handler = on_child};
  assert(sigaction(SIGCHLD, &action, NULL) == 0);
  const pid_t child = fork();
  if (child == 0) _exit(5);
  sigemptyset(&set);
  while (!ended) sigsuspend(&set);
  int status;
  assert(wait(&status) == child && WEXITSTATUS(status) == 5);
  return 0;
}
