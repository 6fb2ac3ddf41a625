#include "tool/run/background_work.h"

#include <algorithm>

namespace heddle::run {

BackgroundWork::~BackgroundWork() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_to_end_ = is_its_turn_ = true;
  }
  turn_.notify_all();
  thread_.join();
}

void BackgroundWork::begin() {
  thread_ = std::thread([this] {
    work_in_slices(*this);
    work_();
    const std::lock_guard lock(mutex_);
    ended_ = true;
    is_its_turn_ = false;
    turn_.notify_all();
  });
}

bool BackgroundWork::run_for(double seconds) {
  if (ended_) return true;
  std::unique_lock lock(mutex_);
  until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e9)));
  is_its_turn_ = true;
  if (!thread_.joinable()) begin();
  turn_.notify_all();
  turn_.wait(lock, [&] { return !is_its_turn_; });
  return ended_;
}

bool BackgroundWork::goes_on() {
  if (Clock::now() < until_) return !is_to_end_;
  const auto began = Clock::now();
  std::unique_lock lock(mutex_);
  if (is_to_end_) return false;
  is_its_turn_ = false;
  turn_.notify_all();
  turn_.wait(lock, [&] { return is_its_turn_; });
  paused_ += std::chrono::duration<double>(Clock::now() - began).count();
  return !is_to_end_;
}

}  // namespace heddle::run
