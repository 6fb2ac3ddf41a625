#include "runtime/strategy/client_strategy.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

#include "runtime/strategy/registry.h"
#include "tests/unit/strategy/points.h"

namespace heddle::strategy {
namespace {

// Sparse, and zero as it comes from the kernel.
Learning& fresh_learning() {
  void* memory = mmap(nullptr, sizeof(Learning), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return *static_cast<Learning*>(memory);
}

StrategySpec spec_of(const char* text) {
  StrategySpec spec;
  TextBuffer<512> error;
  EXPECT_TRUE(spec.parse(text, error));
  return spec;
}

// One process follows a schedule, then explores a client, then another one, each as if it were the first.
TEST(ClientStrategy, ChoosesAsTheToolSays) {
  Learning& learning = fresh_learning();
  ClientExchange& clients = learning.clients();
  const std::vector<Choice> log = {thread_choice(2, 0), thread_choice(1, 0)};
  ClientStrategy strategy(*make_strategy("random"), spec_of("random"), log.data());
  strategy.attach(&learning);

  clients.search = ClientSearch::kGuided;
  clients.choices = 2;
  ASSERT_TRUE(strategy.prepare_next(0));
  strategy.begin(1, 0, kNoView);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1, 2}, 5)), 2u);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1, 2}, 5)), 1u);
  EXPECT_EQ(strategy.choose(ThreadPoint({0, 1, 2}, 5)), 0u);

  clients.search = ClientSearch::kExhaustive;
  for (const std::uint32_t alternatives : {3u, 2u}) {
    clients.begins_anew = 1;
    clients.none_left = clients.explored_all = 0;
    std::vector<std::uint32_t> picks;
    while (strategy.prepare_next(1)) {
      strategy.begin(1, 1, kNoView);
      picks.push_back(strategy.choose(value_point(alternatives)));
    }
    EXPECT_EQ(picks.size(), alternatives);
    EXPECT_EQ(clients.none_left.load(), 1u);
    EXPECT_EQ(clients.explored_all, 1u);
  }
}

}  // namespace
}  // namespace heddle::strategy
