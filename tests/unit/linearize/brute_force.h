// The oracle of linearizability: tries every order. Slow and obvious; it takes nothing but the data types of
// calls and replies from core/linearize, and has sequential objects of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/linearize/call.h"

namespace heddle::linearize::oracle {

class Object {
 public:
  virtual ~Object() = default;
  virtual Reply act(const Call& call) = 0;
  virtual std::unique_ptr<Object> copy() const = 0;
};

// queue, stack, set, map, register, counter, deque, priority-queue, snapshot (of two components)
std::unique_ptr<Object> make_object(const std::string& name);

// Whether some order of the operations respects real time and gives the replies; pending ones may be left
// out.
bool linearizable(const Object& initial, const CallHistory& history);

// Empty if `order` is a linearization of the history, else what is wrong with it.
std::string wrong_with(const Object& initial, const CallHistory& history,
                       const std::vector<OperationIndex>& order);

// One line for each event, to be read by people.
std::string shown(const CallHistory& history);

}  // namespace heddle::linearize::oracle
