// An object's operations: how each is called, and where its arguments come from.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "heddle/heddle.h"
#include "heddle/lin/reply.hpp"

namespace heddle::lin {

inline bool under_heddle() { return heddle_runtime_active != nullptr && heddle_runtime_active() != 0; }

// Where random clients come from: the strategy's choices, so that replay repeats and `exhaustive` lists them;
// without heddle a seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : chosen_(under_heddle()), random_(seed) {}
  unsigned below(unsigned n) { return n < 2 ? 0 : chosen_ ? heddle_choose(n) : random_.below(n); }
  Value fresh() { return ++latest_; }

 private:
  bool chosen_;
  Random random_;
  Value latest_ = 0;
};

using Generator = std::function<Value(Draw&)>;

// low, …, high
inline Generator values(Value low, Value high) {
  return [low, high](Draw& draw) {
    return low + static_cast<Value>(draw.below(static_cast<unsigned>(high - low + 1)));
  };
}

inline Generator one_of(std::vector<Value> choices) {
  return [choices = std::move(choices)](Draw& draw) {
    return choices[draw.below(static_cast<unsigned>(choices.size()))];
  };
}

// 1, 2, 3, …: each value once in a client. Queues and stacks of distinct values are judged in O(n log n).
inline Generator fresh() {
  return [](Draw& draw) { return draw.fresh(); };
}

template <typename Object>
class Operation {
 public:
  template <typename Body, typename... Generators>
  Operation(std::string name, Body body, Generators... generators)
      : name_(std::move(name)), generators_{Generator(std::move(generators))...} {
    call_ = [body = std::move(body)](Object& object, const std::vector<Value>& arguments) {
      return call(body, object, arguments, std::make_index_sequence<sizeof...(Generators)>());
    };
  }

  // Drawn so many times as often as an operation of weight 1.
  Operation& weight(unsigned weight) {
    weight_ = weight;
    return *this;
  }
  // It may give this result at any time and then has done nothing: a spurious failure, or a bounded object
  // that is full.
  template <typename Result>
  Operation& may_fail(const Result& result) {
    failure_ = reply_of(result);
    return *this;
  }
  // It may block until somebody has done `other`: each thread is given one only after an `other` of its own,
  // so that no client waits for ever.
  Operation& needs(std::string other) {
    needs_ = std::move(other);
    return *this;
  }

  const std::string& name() const { return name_; }
  unsigned weight() const { return weight_; }
  const std::string& needs() const { return needs_; }
  std::size_t arity() const { return generators_.size(); }
  bool failed(const Reply& reply) const { return failure_ && reply == *failure_; }
  Reply perform(Object& object, const std::vector<Value>& arguments) const {
    return call_(object, arguments);
  }
  std::vector<Value> draw_arguments(Draw& draw) const {
    std::vector<Value> arguments;
    for (const Generator& generator : generators_) arguments.push_back(generator(draw));
    return arguments;
  }

 private:
  template <typename Body, std::size_t... kIndices>
  static Reply call(const Body& body, Object& object, const std::vector<Value>& arguments,
                    std::index_sequence<kIndices...>) {
    static_cast<void>(arguments);  // of none
    if constexpr (std::is_void_v<decltype(body(object, Argument{arguments[kIndices]}...))>) {
      body(object, Argument{arguments[kIndices]}...);
      return Reply::nothing();
    } else {
      return reply_of(body(object, Argument{arguments[kIndices]}...));
    }
  }

  std::string name_;
  std::vector<Generator> generators_;
  std::function<Reply(Object&, const std::vector<Value>&)> call_;
  unsigned weight_ = 1;
  std::optional<Reply> failure_;
  std::string needs_;
};

}  // namespace heddle::lin
