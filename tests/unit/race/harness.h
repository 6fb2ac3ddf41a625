// Tested threads with clocks and locks, for tests of the race detector: what the engine would keep.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "runtime/race/race_detector.h"

namespace heddle::race {

// The detector under test. The shadow can be had once in a process, so that tests share one object in turn.
inline constinit RaceDetector detector;

struct StartedDetector {
  explicit StartedDetector(Mode mode) { started = detector.start(mode); }
  ~StartedDetector() { detector.stop(); }
  bool started = false;
};

// on_access for an operation and a size known at run time.
std::optional<Race> access(AccessOp op, std::uint32_t size, Address address, std::uint64_t pc = 0,
                           StackId stack = kEmptyStack);

// Threads, each with a clock; locks carry clocks from a release to an acquire.
class Threads {
 public:
  explicit Threads(std::uint32_t count) : clocks_(count, std::vector<std::uint32_t>(count, 0)) {
    for (std::uint32_t t = 0; t < count; ++t) clocks_[t][t] = 1;
    detector.clocks_moved();
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(clocks_.size()); }
  std::uint32_t time(std::uint32_t t) const { return clocks_[t][t]; }
  ClockView clock(std::uint32_t t) const { return {clocks_[t].data(), count()}; }

  void run(std::uint32_t t) {
    const ThreadId id{static_cast<std::uint16_t>(t)};
    if (!detector.resume(id)) detector.enter(id, time(t), clock(t));
  }

  void release(std::uint32_t t, std::uint32_t lock) {
    join(locks_[lock], clocks_[t]);
    ++clocks_[t][t];
  }
  void acquire(std::uint32_t t, std::uint32_t lock) { join(clocks_[t], locks_[lock]); }

  // `t` ends and `joiner` has waited for it; the id's next life is created by `joiner`, its times go on.
  void end_and_recreate(std::uint32_t t, std::uint32_t joiner) {
    const std::uint32_t last = time(t);
    join(clocks_[joiner], clocks_[t]);
    clocks_[t] = clocks_[joiner];
    clocks_[t][t] = last + 1;
    ++clocks_[joiner][joiner];
  }

 private:
  static void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) into[i] = into[i] < from[i] ? from[i] : into[i];
  }

  std::vector<std::vector<std::uint32_t>> clocks_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> locks_;
};

}  // namespace heddle::race
