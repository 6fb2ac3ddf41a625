// What was observed of a concurrent object: calls and returns in one total order.
//
// Linearizability asks for one point in time for each operation, between its call and its return, such that
// the operations in the order of these points are what a sequential object would have done (Herlihy and Wing
// 1990). An operation that never returned is pending: it may have taken effect at any time after its call, or
// not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::linearize {

using OperationIndex = std::uint32_t;  // in the order of the calls
using Position = std::uint32_t;        // of an event, from 0

inline constexpr Position kNever = std::numeric_limits<Position>::max();

template <typename InputType, typename OutputType>
struct Operation {
  InputType input;
  std::optional<OutputType> output;  // none while pending
  Position called = 0;
  Position returned = kNever;
  std::uint32_t thread = 0;
};

struct Event {
  OperationIndex operation = 0;
  bool returns = false;
};

template <typename InputType, typename OutputType>
class History {
 public:
  using Input = InputType;
  using Output = OutputType;

  OperationIndex call(std::uint32_t thread, Input input) {
    const auto index = static_cast<OperationIndex>(operations_.size());
    operations_.push_back({std::move(input), std::nullopt, next_position(), kNever, thread});
    events_.push_back({index, false});
    return index;
  }

  // REQUIRES: `index` was called and has not returned.
  void give_back(OperationIndex index, Output output) {
    operations_[index].output = std::move(output);
    operations_[index].returned = next_position();
    events_.push_back({index, true});
  }

  const std::vector<Operation<Input, Output>>& operations() const { return operations_; }
  const Operation<Input, Output>& operator[](OperationIndex index) const { return operations_[index]; }
  const std::vector<Event>& events() const { return events_; }

  // The first `count` events: operations that return later are pending in it.
  History prefix(std::size_t count) const {
    History result;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& operation = operations_[events_[i].operation];
      if (events_[i].returns) {
        result.give_back(events_[i].operation, *operation.output);
      } else {
        result.call(operation.thread, operation.input);
      }
    }
    return result;
  }

 private:
  Position next_position() const { return static_cast<Position>(events_.size()); }

  std::vector<Operation<Input, Output>> operations_;
  std::vector<Event> events_;
};

}  // namespace heddle::linearize
