// No index is lost with a process that is killed, wherever it was.
#include "core/trace/index_claims.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

namespace heddle {
namespace {

TEST(IndexClaims, HandsOutEachIndexOnce) {
  auto claims = std::make_unique<IndexClaims>();
  std::atomic<std::uint64_t> limit = 3;
  EXPECT_EQ(claims->latest(3), IndexClaims::kNone);
  EXPECT_EQ(claims->take(3, limit), 0u);
  EXPECT_EQ(claims->take(5, limit), 1u);
  EXPECT_EQ(claims->take(3, limit), 2u);
  EXPECT_EQ(claims->latest(3), 2u);
  EXPECT_EQ(claims->latest(5), 1u);
  EXPECT_EQ(claims->next(), 3u);
  EXPECT_EQ(claims->take(5, limit), IndexClaims::kNone);
  EXPECT_EQ(claims->latest(5), 1u);
  limit = 4;
  EXPECT_EQ(claims->take(5, limit), 3u);
}

constexpr std::uint32_t kWorkers = 3;
constexpr std::uint64_t kMost = 1u << 22;

// What the processes below share: who is done with which index.
struct Shared {
  IndexClaims claims;
  std::atomic<std::uint64_t> limit;
  std::array<std::atomic<std::uint8_t>, kMost> done;
};

// A child that takes indices until it is killed.
pid_t start(Shared& shared, std::uint32_t worker) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  for (;;) {
    const std::uint64_t index = shared.claims.take(worker, shared.limit);
    if (index == IndexClaims::kNone) _exit(0);
    shared.done[index].fetch_add(1, std::memory_order_relaxed);
  }
}

TEST(IndexClaims, SaysWhatAKilledProcessHeld) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Shared& shared = *static_cast<Shared*>(memory);
  shared.limit = kMost;
  std::array<pid_t, kWorkers> workers{};
  for (std::uint32_t i = 0; i < kWorkers; ++i) workers[i] = start(shared, i);
  for (int round = 0; round < 150; ++round) {
    const std::uint32_t victim = static_cast<std::uint32_t>(round) % kWorkers;
    timespec pause{0, 20'000 + round * 1'000};
    nanosleep(&pause, nullptr);
    kill(workers[victim], SIGKILL);
    waitpid(workers[victim], nullptr, 0);
    // Done before it died, or held and now done in its place.
    const std::uint64_t held = shared.claims.latest(victim);
    if (held != IndexClaims::kNone && held < kMost && shared.done[held] == 0) shared.done[held] = 1;
    workers[victim] = start(shared, victim);
  }
  for (const pid_t worker : workers) {
    kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0);
  }
  for (std::uint32_t i = 0; i < kWorkers; ++i) {
    const std::uint64_t held = shared.claims.latest(i);
    if (held != IndexClaims::kNone && held < kMost && shared.done[held] == 0) shared.done[held] = 1;
  }
  const std::uint64_t taken = std::min(shared.claims.next(), kMost);
  EXPECT_GT(taken, 100u);
  for (std::uint64_t i = 0; i < taken; ++i) ASSERT_EQ(shared.done[i], 1) << "index " << i << " of " << taken;
  munmap(memory, sizeof(Shared));
}

}  // namespace
}  // namespace heddle
