// A scheduler that has adopted the test's own thread. Others can be added; none of them ever runs.
#pragma once

#include <sys/mman.h>

#include <memory>

#include "core/base/check.h"
#include "core/base/pages.h"
#include "runtime/sched/ghost.h"
#include "runtime/sched/scheduler.h"

namespace heddle::engine::testing {

class MainAlone {
 public:
  MainAlone() { scheduler_->start(); }
  ~MainAlone() {
    for (std::uint32_t i = 1; i < scheduler_->thread_count(); ++i) {
      sched::Ghost& ghost = scheduler_->thread(ThreadId{static_cast<std::uint16_t>(i)}).ghost;
      if (ghost.fs_base != 0) release_ghost(ghost);
    }
    // They lie at fixed addresses, where the next test will map them again.
    munmap(reinterpret_cast<void*>(address_map::kFiberSlots),
           address_map::kFiberSlotsEnd - address_map::kFiberSlots);
    munmap(reinterpret_cast<void*>(address_map::kMainCallStack), address_map::kCallStackBytes);
  }
  MainAlone(const MainAlone&) = delete;
  MainAlone& operator=(const MainAlone&) = delete;
  sched::Scheduler& scheduler() { return *scheduler_; }
  sched::Thread& main() { return scheduler_->self(); }
  // One more thread that can run.
  sched::Thread& add() {
    sched::Thread* thread = scheduler_->create({.bytes = 64 * 1024}, [](void*) { __builtin_trap(); });
    HEDDLE_CHECK(thread != nullptr);
    return *thread;
  }

 private:
  std::unique_ptr<sched::Scheduler> scheduler_ = std::make_unique<sched::Scheduler>();
};

}  // namespace heddle::engine::testing
