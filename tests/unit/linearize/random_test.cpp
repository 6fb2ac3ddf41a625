// Every checker against the oracle, on random small histories.
#include "tests/unit/linearize/compare.h"

namespace heddle::linearize::oracle {
namespace {

constexpr int kHistories = 4000;  // for each object and kind of value

class Random4000 : public testing::TestWithParam<std::tuple<std::string, bool>> {};

Shape random_shape(const std::string& object, bool distinct, Random& random) {
  Shape shape;
  shape.object = object;
  shape.distinct = distinct;
  shape.threads = 2 + random.below(3);
  shape.operations = 1 + random.below(7);
  shape.pending = random.below(2) * 20;
  shape.mutations = random.below(4);
  shape.removals = 30 + random.below(5) * 10;
  return shape;
}

template <typename Spec>
void run(const std::string& object, bool distinct) {
  Random random(distinct ? 1 : 2);
  Counts counts;
  for (int i = 0; i < kHistories && !testing::Test::HasFatalFailure(); ++i) {
    const CallHistory history = random_history(random_shape(object, distinct, random), random);
    SCOPED_TRACE("history " + std::to_string(i));
    Counts ignored;
    compare(check_by_search(Spec{}, history), history, object, ignored);
    compare(check(Spec{}, history), history, object, counts);
  }
  // Both verdicts have to be met often, or the comparison says little.
  EXPECT_GT(counts.linearizable, kHistories / 10);
  EXPECT_GT(counts.violating, kHistories / 10);
}

TEST_P(Random4000, AgreesWithTheOracle) {
  const auto& [object, distinct] = GetParam();
  if (object == "queue") run<QueueSpec>(object, distinct);
  if (object == "stack") run<StackSpec>(object, distinct);
  if (object == "set") run<SetSpec>(object, distinct);
  if (object == "map") run<MapSpec>(object, distinct);
  if (object == "register") run<RegisterSpec>(object, distinct);
  if (object == "counter") run<CounterSpec>(object, distinct);
  if (object == "deque") run<DequeSpec>(object, distinct);
  if (object == "priority-queue") run<PriorityQueueSpec>(object, distinct);
  if (object == "snapshot") run<SnapshotSpec>(object, distinct);
}

INSTANTIATE_TEST_SUITE_P(Objects, Random4000,
                         testing::Combine(testing::Values("queue", "stack", "set", "map", "register",
                                                          "counter", "deque", "priority-queue", "snapshot"),
                                          testing::Bool()),
                         [](const auto& chosen) {
                           std::string name = std::get<0>(chosen.param);
                           std::erase(name, '-');
                           return name + (std::get<1>(chosen.param) ? "_distinct" : "_repeated");
                         });

}  // namespace
}  // namespace heddle::linearize::oracle
