// Views: which store of each location somebody knows of (PCTWM §5.1, Def. 1). Each thread has one; a copy of
// it is what an event leaves for others, its bag. Copies are taken at every release and merged at every
// acquire, so they share what they have in common: a view is a tree of pages of sixteen locations, counted by
// reference and copied where it is written.
//
// A view keeps one store for a location. Where nothing orders two stores the one that was executed later
// wins.
#pragma once

#include <cstdint>

#include "core/base/arena.h"
#include "core/trace/choice.h"

namespace heddle::strategy {

// A store by its key; all zero: none.
struct KnownStore {
  std::uint64_t bits = 0;
  static KnownStore of(ChoiceKey key) { return {key.bits + 1}; }
  explicit operator bool() const { return bits != 0; }
  ChoiceKey key() const { return {bits - 1}; }
  friend constexpr bool operator==(KnownStore, KnownStore) = default;
};

// All zero knows of nothing.
struct StoreView {
  struct Node;
  Node* root = nullptr;
  std::uint32_t height = 0;
};

// Which of two stores of a location is the later one.
class StoreOrder {
 public:
  virtual bool is_later(std::uint32_t location, ChoiceKey a, ChoiceKey b) const = 0;

 protected:
  ~StoreOrder() = default;
};

class StoreViews {
 public:
  explicit StoreViews(Arena& arena) : arena_(arena) {}

  static KnownStore get(const StoreView& view, std::uint32_t location);
  void set(StoreView& view, std::uint32_t location, KnownStore store);
  static StoreView share(const StoreView& view);
  void drop(StoreView& view);
  // place = view, whose reference is taken over.
  void replace(StoreView& place, StoreView view) {
    drop(place);
    place = view;
  }
  // view ⊔= other
  void merge(StoreView& view, const StoreView& other, const StoreOrder& order);

 private:
  using Node = StoreView::Node;
  Node* make();
  Node* own(Node* node, std::uint32_t height);
  void release(Node* node, std::uint32_t height);
  void grow(StoreView& view, std::uint32_t height);
  Node* merge(Node* into, Node* from, std::uint32_t height, std::uint32_t first, const StoreOrder& order);

  Arena& arena_;
};

}  // namespace heddle::strategy
