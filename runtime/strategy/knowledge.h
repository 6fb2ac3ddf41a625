// What each thread knows of the stores of all locations: the views and bags of PCTWM's Algorithm 2 (thesis,
// Algorithm 3), merged at every communication, and carried also by the creation and the end of threads and by
// synchronisation objects.
//
// Where the algorithm is silent: an update passes on what the release sequence that it continues has
// released, as an acquiring reader synchronises with the head of the sequence; and a thread that acquires
// from a store learns its bag also where that store was the one it knew.
#pragma once

#include "core/base/arena.h"
#include "runtime/strategy/strategy.h"
#include "runtime/strategy/thread_table.h"
#include "runtime/strategy/views.h"

namespace heddle::strategy {

class Knowledge final : public StoreOrder {
 public:
  Knowledge();
  void begin(const View& view);

  // readLocal: the store of the location that the thread knows; none: whatever was there before all.
  KnownStore local(ThreadId thread, std::uint32_t location);
  // Lines 6-8: an SC event knows what the SC event before it knew. Also before its read is chosen.
  void before_seq_cst(ThreadId thread) { views_.merge(threads_[thread].view, seq_cst_, *this); }
  // Lines 2-27.
  void performed(const Operation& operation);

  void created(ThreadId parent, ThreadId child);
  void joined(ThreadId joiner, ThreadId finished);
  void released(ThreadId thread, std::uint32_t object);
  void acquired(ThreadId thread, std::uint32_t object);

  bool is_later(std::uint32_t location, ChoiceKey a, ChoiceKey b) const override;

 private:
  struct Thread {
    StoreView view;
    StoreView release_fence;  // the bag of its last release fence
    StoreView to_acquire;     // what its relaxed reads would synchronise with at an acquire fence
  };
  struct Bag {
    KnownStore store;
    StoreView view;      // of its thread when it was performed
    StoreView released;  // the bags of the events that synchronise with who acquires from the store
  };
  // The bags of stores that released something; the oldest are overwritten, as the memory model forgets
  // stores.
  struct Place {
    Location location;
    Bag* bags;
    std::uint32_t capacity;
    std::uint32_t count;
  };
  static constexpr std::uint32_t kFirstBags = 4;
  static constexpr std::uint32_t kMostBags = 64;

  Place& place(const Location& location);
  static const Bag* find_bag(const Place& place, ChoiceKey store);
  Bag& add_bag(Place& place);
  void read(Thread& thread, const Operation& operation, const Bag* bag);
  void write(Thread& thread, const Operation& operation, Place& place, const Bag* read);
  StoreView& object(std::uint32_t number);

  Arena arena_;
  StoreViews views_;
  const View* view_ = nullptr;
  ThreadTable<Thread> threads_;
  StoreView seq_cst_;  // the bag of the last SC event
  Place* places_ = nullptr;
  std::uint32_t place_capacity_ = 0;
  StoreView* objects_ = nullptr;
  std::uint32_t object_capacity_ = 0;
};

}  // namespace heddle::strategy
