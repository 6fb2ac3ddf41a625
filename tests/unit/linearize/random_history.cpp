#include "tests/unit/linearize/random_history.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tests/unit/linearize/brute_force.h"

namespace heddle::linearize::oracle {
namespace {

class Maker {
 public:
  Maker(const Shape& shape, Random& random) : shape_(shape), random_(random) {}

  CallHistory make() {
    run();
    for (std::uint32_t i = 0; i < shape_.mutations; ++i) mutate();
    CallHistory history;
    std::vector<OperationIndex> numbers(calls_.size());
    for (const auto& [operation, returns] : events_) {
      if (returns) {
        history.give_back(numbers[operation], *replies_[operation]);
      } else {
        numbers[operation] = history.call(threads_[operation], calls_[operation]);
      }
    }
    return history;
  }

 private:
  bool percent(std::uint32_t chance) { return random_.below(100) < chance; }
  Value value() {
    return shape_.distinct ? next_value_++ : static_cast<Value>(random_.below(3)) + (percent(20) ? 1 : 0);
  }

  Call call() {
    const bool removal = percent(shape_.removals);
    const std::string& object = shape_.object;
    if (object == "queue") return removal ? Call{Name::kDeq} : Call{Name::kEnq, value()};
    if (object == "stack") return removal ? Call{Name::kPop} : Call{Name::kPush, value()};
    if (object == "priority-queue") {
      // Values in no order of insertion.
      if (removal) return {Name::kRemoveMin};
      return {Name::kInsert, shape_.distinct ? value() * 7 % 31 : value()};
    }
    if (object == "deque") {
      if (removal) return {percent(50) ? Name::kPopFront : Name::kPopBack};
      return {percent(50) ? Name::kPushFront : Name::kPushBack, value()};
    }
    if (object == "counter") return {removal ? Name::kRead : Name::kInc};
    if (object == "register") {
      if (removal) return {Name::kRead};
      if (!shape_.distinct && percent(40)) return {Name::kCas, value(), value()};
      if (shape_.distinct && percent(25)) {
        const auto old = static_cast<Value>(random_.below(static_cast<std::uint32_t>(next_value_)));
        return {Name::kCas, old, value()};
      }
      return {Name::kWrite, value()};
    }
    if (object == "snapshot") {
      return removal ? Call{Name::kScan} : Call{Name::kUpdate, random_.below(2), value()};
    }
    const Value key = random_.below(2);
    if (object == "map") {
      if (!removal) return {Name::kPut, key, value()};
      return {percent(50) ? Name::kGet : Name::kRemove, key};
    }
    if (!removal) return {Name::kAdd, key};
    return {percent(50) ? Name::kContains : Name::kRemove, key};
  }

  void run() {
    const auto object = make_object(shape_.object);
    struct Thread {
      std::optional<OperationIndex> open;
      bool stuck = false;  // its operation never returns
    };
    std::vector<Thread> threads(shape_.threads);
    std::uint32_t called = 0;
    for (std::uint32_t turns = 0; turns < shape_.operations * 40; ++turns) {
      const std::uint32_t who = random_.below(shape_.threads);
      Thread& thread = threads[who];
      if (!thread.open) {
        if (called == shape_.operations) continue;
        thread.open = called++;
        calls_.push_back(call());
        replies_.emplace_back();
        threads_.push_back(who);
        events_.emplace_back(*thread.open, false);
        thread.stuck = percent(shape_.pending);
        // Half of those that never return take effect.
        if (thread.stuck && percent(50)) object->act(calls_.back());
        if (thread.stuck && percent(80)) thread = {};  // its client goes on under a new name, as Jepsen's do
      } else if (!thread.stuck && !replies_[*thread.open]) {
        replies_[*thread.open] = object->act(calls_[*thread.open]);
      } else if (!thread.stuck) {
        events_.emplace_back(*thread.open, true);
        thread = {};
      }
    }
  }

  void mutate() {
    if (events_.size() < 2) return;
    if (percent(50)) {
      const std::size_t at = random_.below(static_cast<std::uint32_t>(events_.size() - 1));
      if (events_[at].first != events_[at + 1].first) std::swap(events_[at], events_[at + 1]);
      return;
    }
    const OperationIndex one = random_.below(static_cast<std::uint32_t>(calls_.size()));
    const OperationIndex other = random_.below(static_cast<std::uint32_t>(calls_.size()));
    if (!replies_[one] || !replies_[other]) return;
    if (replies_[one]->kind == Reply::Kind::kMany) {
      replies_[one]->many[random_.below(2)] = random_.below(4);
    } else if (replies_[one]->kind == Reply::Kind::kTruth) {
      replies_[one]->value ^= 1;
    } else if (calls_[one].name == calls_[other].name && percent(60)) {
      std::swap(replies_[one], replies_[other]);
    } else if (replies_[one]->kind == Reply::Kind::kValue) {
      if (percent(20) && calls_[one].name != Name::kRead && calls_[one].name != Name::kInc) {
        replies_[one] = Reply::empty();
      } else {
        replies_[one]->value = shape_.distinct ? random_.below(shape_.operations) : random_.below(4);
      }
    } else if (replies_[one]->kind == Reply::Kind::kEmpty) {
      replies_[one] = Reply::of(shape_.distinct ? random_.below(shape_.operations) : random_.below(4));
    }
  }

  const Shape& shape_;
  Random& random_;
  Value next_value_ = 1;
  std::vector<Call> calls_;
  std::vector<std::optional<Reply>> replies_;  // as the object gave them
  std::vector<std::uint32_t> threads_;
  std::vector<std::pair<OperationIndex, bool>> events_;
};

}  // namespace

CallHistory random_history(const Shape& shape, Random& random) { return Maker(shape, random).make(); }

}  // namespace heddle::linearize::oracle
