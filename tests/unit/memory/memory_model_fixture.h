// A model and the real memory that it answers for, in steps as short as a test's sentences.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/unit/memory/stepped_model.h"

namespace heddle::memory {

inline constexpr Address kX = 0x1000, kY = 0x2000, kZ = 0x3000;
inline constexpr ThreadId kMain = kMainThread, kA{1}, kB{2}, kC{3};
inline constexpr MemoryOrder kRlx = MemoryOrder::kRelaxed, kAcq = MemoryOrder::kAcquire,
                             kRel = MemoryOrder::kRelease, kAcqRel = MemoryOrder::kAcqRel,
                             kSc = MemoryOrder::kSeqCst;

class MemoryModelTest : public testing::Test {
 protected:
  void start(const Options& options, std::initializer_list<ThreadId> threads = {kA, kB}) {
    model.reset(options);
    memory.clear();
    for (ThreadId t : threads) model.thread_created(kMain, t);
  }
  void SetUp() override { start(Options{}); }

  Place place(Address a, std::uint8_t size = 8) { return {a, size, memory[a]}; }
  void store(ThreadId t, Address a, std::uint64_t v, MemoryOrder order = kRlx, std::uint8_t size = 8) {
    memory[a] = model.store(t, place(a, size), order, {v, 0});
  }
  std::vector<std::uint64_t> values(ThreadId t, Address a, MemoryOrder order = kRlx, std::uint8_t size = 8) {
    std::vector<std::uint64_t> result;
    for (const Candidate& c : model.readable_load(t, place(a, size), order)) result.push_back(c.value.low);
    return result;
  }
  // Reads `v`, which must be there to read.
  void load(ThreadId t, Address a, std::uint64_t v, MemoryOrder order = kRlx) {
    const auto candidates = model.readable_load(t, place(a), order);
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].value.low != v) continue;
      memory[a] = model.commit_load(i);
      return;
    }
    FAIL() << v << " cannot be read";
  }
  std::uint64_t add_to_newest(ThreadId t, Address a, MemoryOrder order = kRlx) {
    const auto candidates = model.readable_update(t, place(a), order);
    std::uint32_t i = 0;
    while (!candidates[i].newest) ++i;
    const std::uint64_t old = candidates[i].value.low;
    memory[a] = model.commit_update(i, {old + 1, 0});
    return old;
  }
  static bool happens_before(const MemoryModel& m, Epoch e, ThreadId t) { return m.clock(t).knows(e); }

  using Values = std::vector<std::uint64_t>;
  SteppedModel model;
  std::map<Address, Value> memory;
};

}  // namespace heddle::memory
