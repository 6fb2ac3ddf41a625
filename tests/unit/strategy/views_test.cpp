#include "runtime/strategy/views.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "core/base/random.h"

namespace heddle::strategy {
namespace {

// Later ordinals are later stores.
struct ByOrdinal final : StoreOrder {
  bool is_later(std::uint32_t, ChoiceKey a, ChoiceKey b) const override {
    return a.store_ordinal() > b.store_ordinal();
  }
};

KnownStore store(std::uint32_t ordinal) { return KnownStore::of(ChoiceKey::store(ThreadId{1}, ordinal)); }

TEST(StoreViews, CopiesDoNotChange) {
  Arena arena;
  StoreViews views(arena);
  StoreView view;
  views.set(view, 3, store(1));
  StoreView bag = StoreViews::share(view);
  views.set(view, 3, store(2));
  views.set(view, 5000, store(9));
  EXPECT_EQ(StoreViews::get(bag, 3), store(1));
  EXPECT_FALSE(StoreViews::get(bag, 5000));
  EXPECT_EQ(StoreViews::get(view, 3), store(2));
  EXPECT_EQ(StoreViews::get(view, 5000), store(9));
}

// Random views against maps: merged, copied and dropped, and no memory is left over.
TEST(StoreViews, AgreeWithMaps) {
  Arena arena;
  StoreViews views(arena);
  const ByOrdinal order;
  constexpr std::uint32_t kViews = 6;
  StoreView trees[kViews];
  std::map<std::uint32_t, std::uint32_t> maps[kViews];
  Random random(1);
  for (std::uint32_t step = 1; step < 20'000; ++step) {
    const std::uint32_t a = random.below(kViews);
    const std::uint32_t b = random.below(kViews);
    const std::uint32_t kind = random.below(10);
    if (kind < 6) {
      const std::uint32_t location = random.below(kind == 0 ? 3000 : 40);
      views.set(trees[a], location, store(step));
      maps[a][location] = step;
    } else if (kind < 8) {
      views.merge(trees[a], trees[b], order);
      for (const auto& [location, ordinal] : maps[b]) {
        std::uint32_t& mine = maps[a][location];
        mine = std::max(mine, ordinal);
      }
    } else if (a != b) {
      views.replace(trees[a], kind == 8 ? StoreViews::share(trees[b]) : StoreView{});
      maps[a] = kind == 8 ? maps[b] : std::map<std::uint32_t, std::uint32_t>{};
    }
    const std::uint32_t location = random.below(64);
    const auto known = maps[a].find(location);
    EXPECT_EQ(StoreViews::get(trees[a], location),
              known == maps[a].end() ? KnownStore{} : store(known->second));
  }
  for (std::uint32_t i = 0; i < kViews; ++i) {
    for (const auto& [location, ordinal] : maps[i])
      EXPECT_EQ(StoreViews::get(trees[i], location), store(ordinal));
    views.drop(trees[i]);
  }
  EXPECT_EQ(arena.used(), 0u);
}

}  // namespace
}  // namespace heddle::strategy
