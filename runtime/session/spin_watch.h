// Libraries that were not compiled by heddle and spin until another thread acts. Nothing in such a loop tells
// the engine to let others run, so the process looks at itself: a timer of processor time interrupts it, and
// a thread that makes no visible operation and whose registers come back to a state that they had at an
// earlier tick is taken to spin. It stands back for a while.
//
// When that happens is up to the clock; what the others find is the same, as long as the loop only looks.
#pragma once

#include <signal.h>

#include <cstdint>

namespace heddle::session {

class SpinWatch {
 public:
  // Finds out whether there is code that may spin unseen: once, in the process that starts the others.
  void prepare();
  // In the process that is to run executions. If there is such code, `signal` is sent every so often.
  void start(int signal);
  // To be called when that signal comes, on the stack of the thread that was interrupted.
  void tick(void* context);

 private:
  bool comes_back(std::uint64_t state);
  bool is_known(std::uint64_t pc) const;
  void remember(std::uint64_t pc);

  bool is_prepared_ = false;
  bool is_wanted_ = false;
  static constexpr std::uint32_t kSamples = 256;
  static constexpr std::uint32_t kPlaces = 32;
  std::uint64_t steps_ = 0;               // of the execution, at the latest tick
  std::uint64_t samples_[kSamples] = {};  // states since then
  std::uint32_t sample_count_ = 0;
  std::uint64_t places_[kPlaces] = {};  // where loops were found, in this process
  std::uint32_t place_count_ = 0;
};

}  // namespace heddle::session
