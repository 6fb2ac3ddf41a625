// Memory that is put back, by tracking writes and by copying. Each scene plays in a process of its own, on a stack
// that the snapshot leaves alone, as executions are undone.
#include "runtime/session/snapshot.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "core/base/pages.h"
#include "runtime/sched/fiber.h"
#include "runtime/session/session_state.h"

namespace heddle::session {
namespace {

constexpr int kUnavailable = -1;
constexpr std::size_t kPages = 64;

// What a scene has; lies with the snapshot, where no reset reaches it.
struct Stage {
  Snapshot snapshot;
  sched::Fiber test, service;
  int (*scene)(Stage&) = nullptr;
  bool tracks = false;
  char* memory = nullptr;          // of the program: the first half is in use
  volatile int* answer = nullptr;  // shared with the test

  char& byte(std::size_t page, std::size_t at = 0) { return memory[page * kPageSize + at]; }
  AddressRange part(std::size_t begin, std::size_t end) {
    return AddressRange::between(memory + begin, memory + end);
  }
  // False: this system cannot do it.
  bool begin(std::span<const AddressRange> spare = {}) {
    if (!snapshot.take(spare)) return false;
    snapshot.begin(tracks);
    return snapshot.tracking() == tracks;
  }
};

[[noreturn]] void play(void* argument) {
  Stage& stage = *static_cast<Stage*>(argument);
  *stage.answer = stage.scene(stage);
  raw_syscall(SYS_exit_group, 0);
  __builtin_trap();
}

class Snapshots : public ::testing::TestWithParam<bool> {
 protected:
  // The line of what did not hold, or 0.
  void expect_to_hold(int (*scene)(Stage&)) {
    auto* answer = static_cast<volatile int*>(map_shared_pages(kPageSize));
    *answer = __LINE__;  // it was not played to its end
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) start(scene, answer);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
    const int line = *answer;
    munmap(const_cast<int*>(answer), kPageSize);
    if (line == kUnavailable) GTEST_SKIP() << "not with this kernel";
    EXPECT_EQ(line, 0) << "the line of this file that does not hold";
  }

 private:
  [[noreturn]] static void start(int (*scene)(Stage&), volatile int* answer) {
    forbid_huge_pages();
    if (map_pages_at(kServiceStack, kServiceStackBytes) == nullptr) _exit(1);
    void* block = map_pages_at(kStateAddress, sizeof(Stage));
    if (block == nullptr) _exit(1);
    auto* stage = new (block) Stage;
    stage->scene = scene;
    stage->tracks = GetParam();
    stage->memory = static_cast<char*>(map_pages(kPages * kPageSize));
    stage->answer = answer;
    for (std::size_t i = 0; i < kPages / 2; ++i) memset(&stage->byte(i), 'a', kPageSize);
    sched::prepare_fiber(stage->service, reinterpret_cast<void*>(kServiceStack + kServiceStackBytes),
                         sched::current_fs_base(), play, stage);
    sched::switch_fiber(stage->test, stage->service);
    _exit(1);
  }
};

#define HOLDS(condition) \
  if (!(condition)) return __LINE__

char global[] = "as it was";
constexpr std::size_t kUnused = kPages - 4;  // a page that nobody had touched

TEST_P(Snapshots, PutBackWhatWasWritten) {
  expect_to_hold([](Stage& s) {
    if (!s.begin()) return kUnavailable;
    for (std::size_t round = 0; round < 6; ++round) {
      global[0] = 'X';
      s.byte(1, round) = 'b';
      s.byte(2 + round, 4095) = 'b';
      HOLDS(s.snapshot.restore());
      HOLDS(global[0] == 'a');
      HOLDS(s.byte(1, round) == 'a' && s.byte(2 + round, 4095) == 'a');
    }
    return 0;
  });
}

TEST_P(Snapshots, PutBackThatNothingWasThere) {
  expect_to_hold([](Stage& s) {
    if (!s.begin()) return kUnavailable;
    for (int round = 0; round < 4; ++round) {
      s.byte(kUnused, 7) = 'b';
      HOLDS(s.snapshot.restore());
      HOLDS(s.byte(kUnused, 7) == 0);
    }
    return 0;
  });
}

TEST_P(Snapshots, ForgetWhatOneOddExecutionWrote) {
  expect_to_hold([](Stage& s) {
    if (!s.begin()) return kUnavailable;
    for (int round = 0; round < 6; ++round) {
      if (round == 1) s.byte(kUnused) = s.byte(9) = 'b';
      if (round == 2 || round == 4) s.snapshot.forget_written();
      s.byte(3) = 'b';
      HOLDS(s.snapshot.restore());
      HOLDS(s.byte(3) == 'a' && s.byte(9) == 'a' && s.byte(kUnused) == 0);
      HOLDS(s.byte(20, 5) == 'a');
    }
    s.byte(9) = 'c';
    HOLDS(s.snapshot.restore());
    HOLDS(s.byte(9) == 'a');
    return 0;
  });
}

TEST_P(Snapshots, LeaveSpareMemoryAsItIs) {
  expect_to_hold([](Stage& s) {
    // Inside a page; from the middle of one to the middle of another; whole pages.
    const std::size_t from = 4 * kPageSize + 100, to = 7 * kPageSize + 50;
    const AddressRange spare[] = {s.part(100, 200), s.part(from, to), s.part(10 * kPageSize, 12 * kPageSize)};
    if (!s.begin(spare)) return kUnavailable;
    for (int round = 0; round < 3; ++round) {
      const char c = static_cast<char>('b' + round);
      memset(s.memory, c, 16 * kPageSize);
      HOLDS(s.snapshot.restore());
      for (std::size_t i = 0; i < 16 * kPageSize; ++i) {
        const bool is_spare =
            (i >= 100 && i < 200) || (i >= from && i < to) || (i >= 10 * kPageSize && i < 12 * kPageSize);
        HOLDS(s.memory[i] == (is_spare ? c : 'a'));
      }
    }
    return 0;
  });
}

TEST_P(Snapshots, CopyNoWholePagesOfSpareMemory) {
  expect_to_hold([](Stage& s) {
    const AddressRange spare[] = {s.part(1, 30 * kPageSize)};
    if (!s.snapshot.take({}) || !s.snapshot.take({})) return kUnavailable;
    const std::uint64_t all = s.snapshot.bytes();
    HOLDS(s.snapshot.take(spare));
    HOLDS(s.snapshot.bytes() + 29 * kPageSize <= all);
    HOLDS(s.snapshot.bytes() + 30 * kPageSize > all);
    return 0;
  });
}

TEST_P(Snapshots, PutBackTheFilesContentOfPagesThatWereNotRead) {
  expect_to_hold([](Stage& s) {
    const int file = memfd_create("test", 0);
    HOLDS(ftruncate(file, 2 * kPageSize) == 0 && pwrite(file, "file", 4, kPageSize) == 4);
    auto* mapped =
        static_cast<char*>(mmap(nullptr, 2 * kPageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0));
    HOLDS(mapped != MAP_FAILED);
    if (!s.begin()) return kUnavailable;
    for (int round = 0; round < 3; ++round) {
      mapped[kPageSize] = 'X';
      mapped[10] = 'X';
      HOLDS(s.snapshot.restore());
      HOLDS(mapped[kPageSize] == 'f' && mapped[kPageSize + 3] == 'e' && mapped[10] == 0);
    }
    return 0;
  });
}

TEST_P(Snapshots, PutBackPagesThatWereGivenBack) {
  expect_to_hold([](Stage& s) {
    if (!s.begin()) return kUnavailable;
    for (int round = 0; round < 3; ++round) {
      discard_memory(&s.byte(5), 3 * kPageSize);
      HOLDS(s.byte(6) == 0);
      HOLDS(s.snapshot.restore());
      for (std::size_t page = 4; page < 9; ++page) HOLDS(s.byte(page) == 'a' && s.byte(page, 4095) == 'a');
    }
    return 0;
  });
}

TEST_P(Snapshots, UnmapWhatWasMapped) {
  expect_to_hold([](Stage& s) {
    if (!s.begin()) return kUnavailable;
    const auto is_mapped = [](long address) {
      unsigned char in_memory = 0;
      return raw_syscall(SYS_mincore, address, kPageSize, &in_memory) == 0;
    };
    const long mapped = map_memory(0, kPageSize);
    HOLDS(mapped > 0 && is_mapped(mapped));
    HOLDS(s.snapshot.restore());
    HOLDS(!is_mapped(mapped));
    HOLDS(s.snapshot.journal().mapped_count == 0);
    return 0;
  });
}

TEST_P(Snapshots, SayWhereTheyCannot) {
  expect_to_hold([](Stage& s) {
    void* own = map_pages(kPageSize);
    if (!s.begin()) return kUnavailable;
    unmap_memory(own, kPageSize);
    HOLDS(!s.snapshot.restore());
    return 0;
  });
}

TEST_P(Snapshots, KnowWhatHasNotChanged) {
  expect_to_hold([](Stage& s) {
    const AddressRange spare[] = {s.part(kPageSize, kPageSize + 64)};
    if (!s.begin(spare)) return kUnavailable;
    const AddressRange used[] = {s.part(8 * kPageSize, 12 * kPageSize), s.part(2 * kPageSize, 3 * kPageSize)};
    const AddressRange odd[] = {s.part(8 * kPageSize + 10, 8 * kPageSize + 20)};
    const AddressRange of_spare[] = {s.part(kPageSize + 60, kPageSize + 70)};
    if (!s.tracks) {
      HOLDS(!s.snapshot.is_unchanged(used));  // not known without looking at everything
      return 0;
    }
    s.byte(20) = 'b';
    HOLDS(s.snapshot.is_unchanged(used));
    s.byte(8, 5) = 'a';  // what it was
    HOLDS(s.snapshot.is_unchanged(used) && s.snapshot.is_unchanged(odd));
    s.byte(8, 5) = 'b';
    HOLDS(!s.snapshot.is_unchanged(used));
    HOLDS(s.snapshot.is_unchanged(odd));
    s.byte(8, 10) = 'b';
    HOLDS(!s.snapshot.is_unchanged(odd));
    HOLDS(s.snapshot.restore());
    HOLDS(s.snapshot.is_unchanged(used) && s.snapshot.is_unchanged(odd));
    s.byte(1, 30) = 'a';
    HOLDS(!s.snapshot.is_unchanged(of_spare));
    return 0;
  });
}

TEST_P(Snapshots, AreOfTheLatestMoment) {
  expect_to_hold([](Stage& s) {
    if (!s.snapshot.take({})) return kUnavailable;
    memset(s.memory, 'c', kPages * kPageSize);
    if (!s.begin()) return kUnavailable;
    memset(s.memory, 'd', kPages * kPageSize);
    HOLDS(s.snapshot.restore());
    for (std::size_t i = 0; i < kPages * kPageSize; ++i) HOLDS(s.memory[i] == 'c');
    return 0;
  });
}

#undef HOLDS

INSTANTIATE_TEST_SUITE_P(Ways, Snapshots, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "Tracking" : "Copying"; });

}  // namespace
}  // namespace heddle::session
