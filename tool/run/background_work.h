// Work beside which other work goes on in turns: a search that thinks, beside one that tries. Each gets slices of
// time, so that neither costs the other more than its share; only one of them runs at any moment.
//
// The work runs in a thread of its own. It is paused where it asks whether its time is up (time_limit.h), which all
// long loops do.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "tool/run/time_limit.h"

namespace heddle::run {

class BackgroundWork final : private TimeSlices {
 public:
  explicit BackgroundWork(std::function<void()> work) : work_(std::move(work)) {}
  // The work is told to end, and is waited for.
  ~BackgroundWork();
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  // Lets it go on for so long. True: it has come to its end.
  bool run_for(double seconds);
  bool has_ended() const { return ended_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool goes_on() override;
  double paused_seconds() const override { return paused_; }
  void begin();

  std::function<void()> work_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable turn_;
  bool is_its_turn_ = false;
  bool is_to_end_ = false;
  bool ended_ = false;
  Clock::time_point until_;
  double paused_ = 0;
};

}  // namespace heddle::run
