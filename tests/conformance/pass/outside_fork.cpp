// executions: 20
// Processes that the program starts: fork with and without exec, system, popen, posix_spawn; their output
// and status reach it, while another thread lives.
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

int handlers = 0;

int main() {
  assert(pthread_atfork([] { handlers += 1; }, [] { handlers += 10; }, [] { handlers += 100; }) == 0);
  std::thread other([] {});
  int status = 0;

  const pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    assert(handlers == 101 && getppid() == parent);
    std::thread own([] {});
    own.join();
    _exit(7);
  }
  assert(handlers == 11);
  assert(waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);

  int ends[2];
  assert(pipe(ends) == 0);
  child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execlp("echo", "echo", "hello", nullptr);
    _exit(1);
  }
  close(ends[1]);
  char text[16] = {};
  assert(read(ends[0], text, sizeof text) == 6 && std::strcmp(text, "hello\n") == 0);
  assert(read(ends[0], text, sizeof text) == 0);
  assert(waitpid(child, &status, 0) == child && status == 0);

  child = fork();
  if (child == 0) std::abort();  // no finding: it is the child's own affair
  while (waitpid(child, &status, WNOHANG) == 0) usleep(1000);
  assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  assert(waitpid(child, &status, 0) == -1);

  assert(std::system("exit 3") == 3 << 8);
  FILE* stream = popen("echo from a pipe", "r");
  char line[32] = {};
  assert(std::fgets(line, sizeof line, stream) != nullptr && std::strcmp(line, "from a pipe\n") == 0);
  assert(pclose(stream) == 0);
  const char* arguments[] = {"false", nullptr};
  assert(posix_spawnp(&child, "false", nullptr, nullptr, const_cast<char**>(arguments), environ) == 0);
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 1);
  other.join();
}
