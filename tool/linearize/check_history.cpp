#include "tool/linearize/check_history.h"

#include "core/linearize/check.h"

namespace heddle::linearize {

Answer check_history(const NamedHistory& named, const Options& options) {
  switch (named.object) {
    case Object::kQueue:
      return check(QueueSpec{}, named.history, options);
    case Object::kStack:
      return check(StackSpec{}, named.history, options);
    case Object::kSet:
      return check(SetSpec{}, named.history, options);
    case Object::kMap:
      return check(MapSpec{}, named.history, options);
    case Object::kRegister:
      return check(RegisterSpec{named.initial}, named.history, options);
    case Object::kCounter:
      return check(CounterSpec{}, named.history, options);
    case Object::kDeque:
      return check(DequeSpec{}, named.history, options);
    case Object::kPriorityQueue:
      return check(PriorityQueueSpec{}, named.history, options);
    case Object::kSnapshot:
      return check(SnapshotSpec{}, named.history, options);
  }
  return {};
}

}  // namespace heddle::linearize
