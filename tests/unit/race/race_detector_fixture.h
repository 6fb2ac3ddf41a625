// A detector and four threads, for tests in both modes.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "runtime/race/race_detector.h"
#include "tests/unit/race/harness.h"

namespace heddle::race {

inline constexpr Address kHeap = 0x600000000000;
using enum AccessOp;

class RaceDetectorTest : public ::testing::TestWithParam<Mode> {
 protected:
  void SetUp() override { ASSERT_TRUE(started_.started) << "the shadow's address space is taken"; }

  bool races(std::uint32_t thread, AccessOp op, std::uint32_t size, Address address) {
    threads_.run(thread);
    last_ = access(op, size, address, 100 * (thread + 1), StackId{thread + 50});
    return last_.has_value();
  }
  bool range_races(std::uint32_t thread, AccessOp op, Address begin, std::uint64_t size) {
    threads_.run(thread);
    return keep(detector.on_range(op, begin, size, 100 * (thread + 1), StackId{thread + 50}));
  }
  void allocate(std::uint32_t thread, Address begin, std::uint64_t size) {
    threads_.run(thread);
    detector.on_allocate(begin, size, 100 * (thread + 1), StackId{thread + 50});
  }
  bool end_races(std::uint32_t thread, Address begin, std::uint64_t size) {
    threads_.run(thread);
    return keep(detector.on_end(begin, size, 100 * (thread + 1), StackId{thread + 50}));
  }
  bool use_races(std::uint32_t thread, Address object) {
    threads_.run(thread);
    return keep(detector.on_use(object, 100 * (thread + 1), StackId{thread + 50}));
  }
  bool free_races(std::uint32_t thread, Address begin, std::uint64_t size) {
    threads_.run(thread);
    return keep(detector.on_free(begin, size, 100 * (thread + 1), StackId{thread + 50}));
  }
  // What `from` did so far happens before what `to` does from now on.
  void order(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t lock = next_lock_++;
    threads_.release(from, lock), threads_.acquire(to, lock);
  }

  StartedDetector started_{GetParam()};
  Threads threads_{4};
  std::optional<Race> last_;

 private:
  bool keep(const Race* race) {
    last_ = race == nullptr ? std::nullopt : std::optional<Race>(*race);
    return race != nullptr;
  }
  std::uint32_t next_lock_ = 0;
};

}  // namespace heddle::race
