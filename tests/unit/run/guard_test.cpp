// The process that ends what tested programs have left is nobody else's business in this process.
#include "tool/run/guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tool/run/descendants.h"

namespace heddle::run {
namespace {

// Of this process.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream pids(task.path() / "children");
    for (pid_t pid = 0; pids >> pid;) found.push_back(pid);
  }
  return found;
}

class Guards : public testing::Test {
 protected:
  static int guarded_file() {
    const int file = memfd_create("output", MFD_CLOEXEC);
    guard_output(file);
    return file;
  }
  // The one child of this process.
  static pid_t guard() {
    const std::vector<pid_t> all = children();
    EXPECT_EQ(all.size(), 1u);
    return all.size() == 1 ? all[0] : -1;
  }
};

TEST_F(Guards, AreNoChildrenThatAnybodyWaitsFor) {
  close(guarded_file());
  EXPECT_GT(guard(), 0);
  EXPECT_EQ(wait(nullptr), -1);
  EXPECT_EQ(errno, ECHILD);
  end_orphans();  // it is no orphan either
  EXPECT_GT(guard(), 0);
}

TEST_F(Guards, AreReplacedAndReapedWhenTheyWereKilled) {
  close(guarded_file());
  const pid_t first = guard();
  ASSERT_GT(first, 0);
  ASSERT_EQ(kill(first, SIGKILL), 0);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(first), &info, WEXITED | WNOWAIT | __WALL), 0);
  close(guarded_file());
  const pid_t second = guard();
  EXPECT_GT(second, 0);
  EXPECT_NE(second, first);
}

// What a process does that has a guard, in one of its own: the guard lives until its process ends.
template <typename Body>
int status_of(const Body& body) {
  const pid_t child = fork();
  if (child == 0) body();
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

TEST_F(Guards, AreGoneWithAProcessThatEndsInOrder) {
  // Whatever outlives a child of ours comes to us.
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  close(guarded_file());
  const int status = status_of([] {
    close(guarded_file());
    std::exit(0);
  });
  EXPECT_EQ(status, 0);
  EXPECT_GT(guard(), 0);  // our own, and no other
}

TEST_F(Guards, EndTheHoldersOfAFileWhenTheirProcessIsKilled) {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int status = status_of([&] {
    const int file = guarded_file();
    if (fork() == 0) {
      // Holds the file and the end of the pipe until it is killed.
      dup2(file, 1);
      execlp("sleep", "sleep", "1000", nullptr);
      _exit(1);
    }
    kill(getpid(), SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);  // the end of the pipe: nobody has it any more
  close(ends[0]);
  while (wait(nullptr) > 0) {
  }
}

}  // namespace
}  // namespace heddle::run
