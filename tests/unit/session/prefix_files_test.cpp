// What executions share with the process that starts them: positions in files, and processes left behind.
#include "runtime/session/prefix_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "runtime/session/orphans.h"

namespace heddle::session {
namespace {

class File {
 public:
  explicit File(long position) : descriptor_(memfd_create("test", 0)) {
    EXPECT_EQ(ftruncate(descriptor_, 100), 0);
    move_to(position);
  }
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }
  void move_to(long position) { EXPECT_EQ(lseek(descriptor_, position, SEEK_SET), position); }
  long position() const { return lseek(descriptor_, 0, SEEK_CUR); }

 private:
  int descriptor_;
};

TEST(PrefixFiles, AreSetBackToWhereTheyStood) {
  File a(10L), b(20L);
  keep_offsets(-1);
  a.move_to(99);
  b.move_to(0);
  File later(30L);
  restore_offsets();
  EXPECT_EQ(a.position(), 10);
  EXPECT_EQ(b.position(), 20);
  EXPECT_EQ(later.position(), 30) << "the program's own, opened since";
  // As often as wanted.
  a.move_to(1);
  restore_offsets();
  EXPECT_EQ(a.position(), 10);
}

TEST(PrefixFiles, LeaveTheOutputAlone) {
  File output(10L), other(10L);
  File again(dup(output.descriptor()));  // as the program has it, by another number
  keep_offsets(output.descriptor());
  again.move_to(50);
  other.move_to(50);
  restore_offsets();
  EXPECT_EQ(output.position(), 50);
  EXPECT_EQ(other.position(), 10);
}

TEST(PrefixFiles, MayBeClosedOrNoFiles) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  File in(ends[0]), out(ends[1]), a(10L);
  {
    const File gone(5L);
    keep_offsets(-1);
  }
  a.move_to(70);
  restore_offsets();
  EXPECT_EQ(a.position(), 10);
}

TEST(PrefixFiles, KeepOnlyWhatIsThereTheLastTime) {
  File a(10L);
  keep_offsets(-1);
  a.move_to(20);
  keep_offsets(-1);
  a.move_to(30);
  restore_offsets();
  EXPECT_EQ(a.position(), 20);
}

// Not quite, so that a test that fails leaves nobody behind.
[[noreturn]] void wait_for_long() {
  alarm(10);
  for (;;) pause();
}

// In a process of its own: the test's other children are none of its business.
TEST(Orphans, AreEndedWhereverTheyWent) {
  const pid_t reaper = fork();
  if (reaper == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int ready[2];
    if (pipe(ready) != 0) _exit(2);
    for (int i = 0; i < 3; ++i) {
      if (fork() != 0) continue;
      // A child with a child of its own, in a session that no signal to the group reaches.
      setsid();
      signal(SIGTERM, SIG_IGN);
      if (fork() == 0) setsid();
      if (write(ready[1], "x", 1) != 1) _exit(2);
      wait_for_long();
    }
    char said[6];
    for (std::size_t got = 0; got < sizeof said;) {
      const ssize_t more = read(ready[0], said, sizeof said - got);
      if (more <= 0) _exit(2);
      got += static_cast<std::size_t>(more);
    }
    end_orphans();
    _exit(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(reaper, &status, 0), reaper);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace heddle::session
