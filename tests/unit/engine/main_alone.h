// A scheduler that has adopted the test's own thread and knows no other: no fiber is made.
#pragma once

#include <sys/mman.h>

#include <memory>

#include "core/base/pages.h"
#include "runtime/sched/scheduler.h"

namespace heddle::engine::testing {

class MainAlone {
 public:
  MainAlone() { scheduler_->start(); }
  ~MainAlone() {
    // It lies at a fixed address, where the next test will map it again.
    munmap(reinterpret_cast<void*>(address_map::kMainCallStack), address_map::kCallStackBytes);
  }
  MainAlone(const MainAlone&) = delete;
  MainAlone& operator=(const MainAlone&) = delete;
  sched::Scheduler& scheduler() { return *scheduler_; }
  sched::Thread& main() { return scheduler_->self(); }

 private:
  std::unique_ptr<sched::Scheduler> scheduler_ = std::make_unique<sched::Scheduler>();
};

}  // namespace heddle::engine::testing
