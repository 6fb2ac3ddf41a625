// The log of an execution's choices, which lies in the channel: the tool reads it when the execution is over,
// and whoever repeats the execution reads it choice by choice.
//
// Owns: the place of the next choice. The memory belongs to the channel.
// Invariants:
//   - count() is the number of choices made, also of those for which there was no room;
//   - the first min(count(), capacity) entries are the choices in the order in which they were made;
//   - result_flags::kChoiceLogOverflow is set if and only if a choice found no room.
// Called by the mediator alone, once for each choice: at every visible operation where there is something to
// choose.
#pragma once

#include <cstdint>

#include "core/trace/channel.h"

namespace heddle::engine {

class ChoiceLog {
 public:
  void start(Channel channel) {
    header_ = channel.header();
    choices_ = channel.choices();
    capacity_ = channel.choice_capacity();
  }

  std::uint32_t count() const { return header_->choice_count.load(std::memory_order_relaxed); }

  // Logs the choice that make() returns. make() is called only where there is room.
  template <typename Make>
  [[gnu::always_inline]] void add(Make make) {
    ChannelHeader& h = *header_;
    const std::uint32_t at = h.choice_count.load(std::memory_order_relaxed);
    if (at < capacity_) {
      choices_[at] = make();
    } else {
      h.current.flags |= result_flags::kChoiceLogOverflow;
    }
    h.choice_count.store(at + 1, std::memory_order_relaxed);
  }

  // Forgets all choices but the first `count`: what came after them is no part of the execution.
  void rewind(std::uint32_t count) { header_->choice_count.store(count, std::memory_order_relaxed); }

 private:
  ChannelHeader* header_ = nullptr;
  Choice* choices_ = nullptr;
  std::uint32_t capacity_ = 0;
};

}  // namespace heddle::engine
