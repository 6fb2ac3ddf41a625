#include "tool/constraints/inversion.h"

#include <algorithm>

namespace heddle::constraints {
namespace {

// A block of one thread's actions between two places, which grows until whole sections are in it and nobody
// else is in the middle of one of these locks where the block is to go.
class Block {
 public:
  Block(const Structure& s, std::span<const ActionId> order, std::uint32_t begin, std::uint32_t end,
        std::uint32_t thread, bool goes_up)
      : s_(s),
        order_(order),
        position_(s.count(), 0),
        begin_(begin),
        end_(end),
        thread_(thread),
        goes_up_(goes_up) {
    for (std::uint32_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
  }

  std::vector<ActionId> moved() {
    while (grow()) {
    }
    std::vector<ActionId> mine, others;
    for (std::uint32_t i = begin_; i <= end_; ++i) (is_mine(i) ? mine : others).push_back(order_[i]);
    std::vector<ActionId> result(order_.begin(), order_.begin() + begin_);
    const std::vector<ActionId>& first = goes_up_ ? mine : others;
    const std::vector<ActionId>& second = goes_up_ ? others : mine;
    result.insert(result.end(), first.begin(), first.end());
    result.insert(result.end(), second.begin(), second.end());
    result.insert(result.end(), order_.begin() + end_ + 1, order_.end());
    return result;
  }

 private:
  bool is_mine(std::uint32_t place) const { return s_.thread_index(order_[place]) == thread_; }

  bool reach(std::uint32_t place) {
    if (place >= begin_ && place <= end_) return false;
    begin_ = std::min(begin_, place);
    end_ = std::max(end_, place);
    return true;
  }

  bool grow() {
    for (std::uint32_t i = begin_; i <= end_; ++i) {
      if (!is_mine(i)) continue;
      for (std::uint32_t section : s_.sections_of(order_[i])) {
        const Section& own = s_.sections()[section];
        // A section that begins in a block that goes up must end in it, else the lock would not be free
        // again; and the other way around. One that the whole block lies in holds the others off anyway.
        const ActionId trailing = goes_up_ ? own.lock : own.unlock;
        if (trailing == kNoAction || position_[trailing] < begin_ || position_[trailing] > end_) continue;
        const ActionId leading = goes_up_ ? own.unlock : own.lock;
        if (leading != kNoAction && reach(position_[leading])) return true;
        if (make_room(own)) return true;
      }
    }
    return false;
  }

  // Nobody may be within a section of the same lock where the block goes to.
  bool make_room(const Section& own) {
    const std::uint32_t goal = goes_up_ ? begin_ : end_;
    for (const Section& other : s_.sections()) {
      if (other.object != own.object || s_.thread_index(other.lock) == thread_) continue;
      if (!other.exclusive && !own.exclusive) continue;
      const std::uint32_t from = position_[other.lock];
      const auto to =
          other.unlock == kNoAction ? static_cast<std::uint32_t>(order_.size() - 1) : position_[other.unlock];
      if (from >= goal + (goes_up_ ? 0u : 1u) || to < goal + (goes_up_ ? 0u : 1u)) continue;
      if (reach(goes_up_ ? from : to)) return true;
    }
    return false;
  }

  const Structure& s_;
  std::span<const ActionId> order_;
  std::vector<std::uint32_t> position_;
  std::uint32_t begin_, end_, thread_;
  bool goes_up_;
};

}  // namespace

std::vector<ActionId> inverted(const Structure& structure, std::span<const ActionId> order, ActionId earlier,
                               ActionId later, Direction direction) {
  const auto place = [&](ActionId id) {
    return static_cast<std::uint32_t>(std::find(order.begin(), order.end(), id) - order.begin());
  };
  const bool up = direction == Direction::kLaterUp;
  Block block(structure, order, place(earlier), place(later), structure.thread_index(up ? later : earlier),
              up);
  return block.moved();
}

}  // namespace heddle::constraints
