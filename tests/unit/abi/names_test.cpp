// Names that the program gives: files of /proc, named semaphores.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <semaphore.h>
#include <unistd.h>

#include <string>

#include "runtime/abi/libc/own_proc_path.h"
#include "runtime/abi/pthread/semaphore_names.h"

namespace heddle::abi {
namespace {

using Kind = OwnProcFile::Kind;

bool is_file(const char* path, Kind kind, long tid) {
  const OwnProcFile file = own_proc_file(path);
  return file.kind == kind && !file.is_caller && file.tid == tid;
}
bool is_kernels(const char* path) { return own_proc_file(path).kind == Kind::kNone; }

TEST(OwnProcPath, KnowsTheProcessByNameAndNumber) {
  EXPECT_TRUE(is_file("/proc/self/comm", Kind::kName, kProgramPid));
  EXPECT_TRUE(is_file("/proc/4711/comm", Kind::kName, kProgramPid));
  EXPECT_TRUE(is_file("/proc/self/status", Kind::kStatus, kProgramPid));
  EXPECT_TRUE(is_file("/proc/4711/status", Kind::kStatus, kProgramPid));
}

TEST(OwnProcPath, KnowsThreads) {
  EXPECT_TRUE(is_file("/proc/self/task/4711/comm", Kind::kName, 4711));
  EXPECT_TRUE(is_file("/proc/self/task/4715/comm", Kind::kName, 4715));
  EXPECT_TRUE(is_file("/proc/4711/task/4712/status", Kind::kStatus, 4712));
  const OwnProcFile own = own_proc_file("/proc/thread-self/comm");
  EXPECT_EQ(own.kind, Kind::kName);
  EXPECT_TRUE(own.is_caller);
}

TEST(OwnProcPath, LeavesEverythingElseToTheKernel) {
  for (const char* path : {"",
                           "/",
                           "/proc",
                           "/proc/self",
                           "/proc/self/",
                           "/proc/selfish/comm",
                           "/proc/4712/comm",
                           "/proc/1/comm",
                           "/proc/47110/comm",
                           "/proc//comm",
                           "/proc/self/maps",
                           "/proc/self/common",
                           "/proc/self/comm/x",
                           "/proc/self/comm/status",
                           "/proc/18446744073709556327/comm",
                           "/proc/self/statuses",
                           "/proc/self/task/",
                           "/proc/self/task/comm",
                           "/proc/self/task/x/comm",
                           "/proc/self/task/4711",
                           "/proc/thread-self/status",
                           "/proc/thread-self/comm/x",
                           "/proc/thread-selfcomm",
                           "proc/self/comm",
                           "/etc/proc/self/comm"})
    EXPECT_TRUE(is_kernels(path)) << path;
}

std::string read_name(const char* name) {
  EXPECT_EQ(read_semaphore_name(name), 0);
  return name;
}

TEST(SemaphoreNames, HaveNoSlashButInFront) {
  EXPECT_EQ(read_name("/name"), "name");
  EXPECT_EQ(read_name("name"), "name");
  EXPECT_EQ(read_name("///name"), "name");
}

// What libc says to it; what it makes is removed at once.
int libcs_error(const std::string& name) {
  sem_t* made = sem_open(name.c_str(), O_CREAT, 0600, 1);
  if (made == SEM_FAILED) return errno;
  sem_close(made);
  sem_unlink(name.c_str());
  return 0;
}

TEST(SemaphoreNames, AreRefusedAsByLibc) {
  const std::string own = "/heddle-test-" + std::to_string(getpid());
  if (libcs_error(own) != 0) GTEST_SKIP() << "this system has no named semaphores";
  for (const std::string& name :
       {std::string(), std::string("/"), std::string("/a/b"), std::string("a/"),
        own + std::string(251 - own.size() + 1, 'x'), own + std::string(252 - own.size() + 1, 'x')}) {
    const char* text = name.c_str();
    EXPECT_EQ(read_semaphore_name(text), libcs_error(name)) << name;
  }
}

TEST(SemaphoreRights, AreThoseOfAFile) {
  const SemaphoreRights owners{0600, 10, 20};
  EXPECT_TRUE(may_open_as(owners, 10, 99));
  EXPECT_FALSE(may_open_as(owners, 11, 20));
  EXPECT_FALSE(may_open_as(owners, 11, 99));
  EXPECT_TRUE(may_open_as(owners, 0, 0)) << "root may do anything";
  const SemaphoreRights groups{0060, 10, 20};
  EXPECT_FALSE(may_open_as(groups, 10, 20)) << "what the owner may not, it may not as one of the group";
  EXPECT_TRUE(may_open_as(groups, 11, 20));
  EXPECT_FALSE(may_open_as(groups, 11, 21));
  const SemaphoreRights everybodys{0666, 10, 20};
  EXPECT_TRUE(may_open_as(everybodys, 11, 21));
  EXPECT_FALSE(may_open_as({0444, 10, 20}, 11, 21)) << "reading is not enough";
}

}  // namespace
}  // namespace heddle::abi
