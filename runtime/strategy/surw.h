// Selectively uniform random walk (Zhao et al.: Selectively Uniform Concurrency Testing, ASPLOS 2025). A
// random walk that takes a thread with a probability proportional to the events that it has left draws every
// interleaving with the same probability; one that takes threads evenly ends most threads early. That is
// worth it for few events only: of an execution, those on one location, drawn at random among the shared
// ones. The thread that performs the next of these is drawn by weight, others wait with theirs; all else is
// interleaved at random.
//
// Which locations are shared and how many events each thread has there comes from the first executions of the
// campaign (Learning), which are run as a plain random walk.
//
// The weak-memory version carries the idea over to reads-from: loads of the location that was drawn read any
// store that is allowed, and all others the newest, so that the choices of an execution are spent where its
// interleavings are.
#pragma once

#include "runtime/strategy/follower.h"
#include "runtime/strategy/profile.h"

namespace heddle::strategy {

class SurwStrategy final : public Follower {
 public:
  explicit SurwStrategy(bool selects_stores) : selects_stores_(selects_stores) {}
  void select_stores(bool selects) { selects_stores_ = selects; }
  std::uint32_t choose(const ChoicePoint& point) override;
  void teach(const ExecutionResult& result) override {
    Follower::teach(result);
    profile_.teach(learning_);
  }

 protected:
  void start() override;
  void after(const Operation& operation) override;

 private:
  bool is_selected(const NextOperation& next) const { return selected_ != 0 && next.address == selected_; }
  void find_shared_places();
  void select_place();
  void draw_next();
  std::uint32_t choose_thread(const ChoicePoint& point);

  // The places that threads share, by their addresses: fixed once the first executions are over. In memory
  // that is not put back after each execution.
  struct SharedPlaces {
    bool known;
    std::uint32_t count;
    const ProfiledPlace* places[kProfiledPlaces];
  };

  bool selects_stores_;
  SharedPlaces* shared_ = static_cast<SharedPlaces*>(map_shared_pages(sizeof(SharedPlaces)));
  std::uint64_t selected_ = 0;  // the address; 0: none is known
  bool has_next_ = false;
  ThreadId next_ = kNoThread;  // who performs the next event on it
  std::uint32_t left_[kProfiledThreads] = {};
  std::uint32_t threads_left_ = 0;  // those from here on have none left
  Profile profile_;
};

}  // namespace heddle::strategy
