#include "tests/unit/linearize/brute_force.h"

#include <deque>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace heddle::linearize::oracle {
namespace {

template <typename Self>
class Copies : public Object {
 public:
  std::unique_ptr<Object> copy() const override {
    return std::make_unique<Self>(static_cast<const Self&>(*this));
  }
};

Reply front_of(std::deque<Value>& values) {
  if (values.empty()) return Reply::empty();
  const Value value = values.front();
  values.pop_front();
  return Reply::of(value);
}

Reply back_of(std::deque<Value>& values) {
  if (values.empty()) return Reply::empty();
  const Value value = values.back();
  values.pop_back();
  return Reply::of(value);
}

// Queue, stack and deque: their methods have different names.
class Line : public Copies<Line> {
 public:
  Reply act(const Call& call) override {
    switch (call.name) {
      case Name::kEnq:
      case Name::kPush:
      case Name::kPushBack:
        values_.push_back(call.first);
        return Reply::nothing();
      case Name::kPushFront:
        values_.push_front(call.first);
        return Reply::nothing();
      case Name::kDeq:
      case Name::kPopFront:
        return front_of(values_);
      case Name::kPop:
      case Name::kPopBack:
        return back_of(values_);
      default:
        throw std::logic_error("no method of a queue, stack or deque");
    }
  }

 private:
  std::deque<Value> values_;
};

class Heap : public Copies<Heap> {
 public:
  Reply act(const Call& call) override {
    if (call.name == Name::kInsert) {
      values_.insert(call.first);
      return Reply::nothing();
    }
    if (values_.empty()) return Reply::empty();
    const Value smallest = *values_.begin();
    values_.erase(values_.begin());
    return Reply::of(smallest);
  }

 private:
  std::multiset<Value> values_;
};

class Set : public Copies<Set> {
 public:
  Reply act(const Call& call) override {
    switch (call.name) {
      case Name::kAdd:
        return Reply::truth(values_.insert(call.first).second);
      case Name::kRemove:
        return Reply::truth(values_.erase(call.first) == 1);
      case Name::kContains:
        return Reply::truth(values_.count(call.first) == 1);
      default:
        throw std::logic_error("no method of a set");
    }
  }

 private:
  std::set<Value> values_;
};

class Map : public Copies<Map> {
 public:
  Reply act(const Call& call) override {
    const auto found = values_.find(call.first);
    const Reply there = found == values_.end() ? Reply::empty() : Reply::of(found->second);
    switch (call.name) {
      case Name::kPut:
        values_[call.first] = call.second;
        return Reply::nothing();
      case Name::kGet:
        return there;
      case Name::kRemove:
        values_.erase(call.first);
        return there;
      default:
        throw std::logic_error("no method of a map");
    }
  }

 private:
  std::map<Value, Value> values_;
};

class Cell : public Copies<Cell> {
 public:
  Reply act(const Call& call) override {
    switch (call.name) {
      case Name::kRead:
        return Reply::of(value_);
      case Name::kWrite:
        value_ = call.first;
        return Reply::nothing();
      case Name::kInc:
        return Reply::of(value_++);
      case Name::kCas: {
        const bool equal = value_ == call.first;
        if (equal) value_ = call.second;
        return Reply::truth(equal);
      }
      default:
        throw std::logic_error("no method of a register or counter");
    }
  }

 private:
  Value value_ = 0;
};

class Snapshot : public Copies<Snapshot> {
 public:
  Reply act(const Call& call) override {
    if (call.name == Name::kScan) return {Reply::Kind::kMany, 0, values_};
    values_.at(static_cast<std::size_t>(call.first)) = call.second;
    return Reply::nothing();
  }

 private:
  std::vector<Value> values_ = {0, 0};
};

// Real time: `operation` may come next if no other that is left had returned before it was called.
bool may_be_next(const CallHistory& history, const std::vector<bool>& placed, OperationIndex operation) {
  for (OperationIndex other = 0; other < placed.size(); ++other) {
    if (!placed[other] && history[other].returned < history[operation].called) return false;
  }
  return true;
}

bool try_orders(const Object& object, const CallHistory& history, std::vector<bool>& placed) {
  bool all = true;
  for (OperationIndex i = 0; i < placed.size(); ++i) all = all && (placed[i] || !history[i].output);
  if (all) return true;
  for (OperationIndex i = 0; i < placed.size(); ++i) {
    if (placed[i] || !may_be_next(history, placed, i)) continue;
    const auto next = object.copy();
    const Reply reply = next->act(history[i].input);
    if (history[i].output && reply != *history[i].output) continue;
    placed[i] = true;
    if (try_orders(*next, history, placed)) return true;
    placed[i] = false;
  }
  return false;
}

void show_reply(std::ostream& out, const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNothing:
      out << "nothing";
      break;
    case Reply::Kind::kValue:
      out << reply.value;
      break;
    case Reply::Kind::kTruth:
      out << (reply.value != 0 ? "true" : "false");
      break;
    case Reply::Kind::kEmpty:
      out << "empty";
      break;
    case Reply::Kind::kMany:
      for (const Value value : reply.many) out << value << ' ';
      break;
  }
}

}  // namespace

std::unique_ptr<Object> make_object(const std::string& name) {
  if (name == "queue" || name == "stack" || name == "deque") return std::make_unique<Line>();
  if (name == "priority-queue") return std::make_unique<Heap>();
  if (name == "set") return std::make_unique<Set>();
  if (name == "map") return std::make_unique<Map>();
  if (name == "register" || name == "counter") return std::make_unique<Cell>();
  if (name == "snapshot") return std::make_unique<Snapshot>();
  throw std::logic_error("no object " + name);
}

bool linearizable(const Object& initial, const CallHistory& history) {
  std::vector<bool> placed(history.operations().size(), false);
  return try_orders(initial, history, placed);
}

std::string wrong_with(const Object& initial, const CallHistory& history,
                       const std::vector<OperationIndex>& order) {
  std::vector<bool> placed(history.operations().size(), false);
  const auto object = initial.copy();
  for (const OperationIndex operation : order) {
    const std::string name = "operation " + std::to_string(operation);
    if (operation >= placed.size() || placed[operation]) return name + " is not there, or twice";
    if (!may_be_next(history, placed, operation)) return name + " is placed before one that had returned";
    placed[operation] = true;
    const Reply reply = object->act(history[operation].input);
    if (history[operation].output && reply != *history[operation].output) return name + " has another result";
  }
  for (OperationIndex i = 0; i < placed.size(); ++i) {
    if (!placed[i] && history[i].output) return "operation " + std::to_string(i) + " is missing";
  }
  return "";
}

std::string shown(const CallHistory& history) {
  std::ostringstream out;
  for (const Event& event : history.events()) {
    const auto& operation = history[event.operation];
    out << "  " << event.operation << " (thread " << operation.thread << ") ";
    if (event.returns) {
      out << "returns ";
      show_reply(out, *operation.output);
    } else {
      out << "calls method " << static_cast<int>(operation.input.name) << " (" << operation.input.first
          << ", " << operation.input.second << ")";
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace heddle::linearize::oracle
