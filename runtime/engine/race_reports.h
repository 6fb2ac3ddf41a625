// RaceReports: what the race detector and the checks of storage have found, as findings.
//
// Owns: which races were reported in this execution.
// Invariant: a pair of places is reported once in an execution, since a loop over a racy array is one bug. A
// campaign knows the later place only; where the earlier one differs, the execution that is run again tells.
#pragma once

#include <cstdint>

#include "runtime/engine/scene.h"
#include "runtime/race/race_detector.h"

namespace heddle::engine {

class RaceReports {
 public:
  // Is this race to be reported? It counts as reported from here on.
  bool is_news(const race::Race& race);
  static void report(const Scene& scene, const race::Race& race);

 private:
  static constexpr std::uint32_t kMost = 64;
  std::uint64_t reported_[kMost] = {};  // places
  std::uint32_t count_ = 0;
};

// An access of memory that was freed.
void report_use_after_free(const Scene& scene, Address address, std::uint64_t bytes, std::uint64_t pc);
// An access of the stack or of thread-local storage of a thread that has ended.
void report_use_after_end(const Scene& scene, const sched::Thread& owner, Address address,
                          std::uint64_t bytes, std::uint64_t pc);
// The lock was last unlocked by a thread whose unlock does not happen before the running thread's deed.
race::Race race_with_unlock(const Scene& scene, const sched::SyncObject& lock, ThreadId holder,
                            race::Deed deed, std::uint64_t pc);

}  // namespace heddle::engine
