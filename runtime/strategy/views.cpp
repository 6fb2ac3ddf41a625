#include "runtime/strategy/views.h"

#include "core/base/freestanding.h"

namespace heddle::strategy {
namespace {

constexpr std::uint32_t kBits = 4;
constexpr std::uint32_t kWidth = 1u << kBits;

constexpr std::uint32_t slot_of(std::uint32_t location, std::uint32_t height) {
  return (location >> (height * kBits)) % kWidth;
}
constexpr bool fits(std::uint32_t location, std::uint32_t height) {
  return height >= 7 || (location >> ((height + 1) * kBits)) == 0;
}

}  // namespace

// At height 0 the entries are stores, above nodes.
struct StoreView::Node {
  std::uint64_t references;
  union {
    KnownStore stores[kWidth];
    Node* nodes[kWidth];
  };
};

KnownStore StoreViews::get(const StoreView& view, std::uint32_t location) {
  const Node* node = view.root;
  if (node == nullptr || !fits(location, view.height)) return {};
  for (std::uint32_t h = view.height; h > 0 && node != nullptr; --h) node = node->nodes[slot_of(location, h)];
  return node != nullptr ? node->stores[slot_of(location, 0)] : KnownStore{};
}

StoreView::Node* StoreViews::make() {
  auto* node = static_cast<Node*>(arena_.allocate(sizeof(Node)));
  memset(static_cast<void*>(node), 0, sizeof(Node));
  node->references = 1;
  return node;
}

// The node itself, if nobody else has it, or a copy. Takes over the reference.
StoreView::Node* StoreViews::own(Node* node, std::uint32_t height) {
  if (node == nullptr) return make();
  if (node->references == 1) return node;
  auto* copy = static_cast<Node*>(arena_.allocate(sizeof(Node)));
  memcpy(static_cast<void*>(copy), node, sizeof(Node));
  copy->references = 1;
  --node->references;
  if (height > 0) {
    for (Node* child : copy->nodes) {
      if (child != nullptr) ++child->references;
    }
  }
  return copy;
}

void StoreViews::release(Node* node, std::uint32_t height) {
  if (node == nullptr || --node->references != 0) return;
  if (height > 0) {
    for (Node* child : node->nodes) release(child, height - 1);
  }
  arena_.release(node, sizeof(Node));
}

void StoreViews::grow(StoreView& view, std::uint32_t height) {
  if (view.root == nullptr) view.height = height;
  while (view.height < height) {
    Node* above = make();
    above->nodes[0] = view.root;
    view.root = above;
    ++view.height;
  }
}

void StoreViews::set(StoreView& view, std::uint32_t location, KnownStore store) {
  std::uint32_t height = view.height;
  while (!fits(location, height)) ++height;
  grow(view, height);
  Node** place = &view.root;
  for (std::uint32_t h = view.height;; --h) {
    *place = own(*place, h);
    if (h == 0) break;
    place = &(*place)->nodes[slot_of(location, h)];
  }
  (*place)->stores[slot_of(location, 0)] = store;
}

StoreView StoreViews::share(const StoreView& view) {
  if (view.root != nullptr) ++view.root->references;
  return view;
}

void StoreViews::drop(StoreView& view) {
  release(view.root, view.height);
  view = {};
}

void StoreViews::merge(StoreView& view, const StoreView& other, const StoreOrder& order) {
  if (other.root == nullptr || view.root == other.root) return;
  if (view.root == nullptr) {
    view = share(other);
    return;
  }
  StoreView from = share(other);
  grow(view, from.height);
  grow(from, view.height);
  view.root = merge(view.root, from.root, view.height, 0, order);
  drop(from);
}

// Takes over the reference to `into`.
StoreView::Node* StoreViews::merge(Node* into, Node* from, std::uint32_t height, std::uint32_t first,
                                   const StoreOrder& order) {
  if (from == nullptr || into == from) return into;
  if (into == nullptr) {
    ++from->references;
    return from;
  }
  if (height > 0) {
    for (std::uint32_t i = 0; i < kWidth; ++i) {
      if (from->nodes[i] == nullptr || from->nodes[i] == into->nodes[i]) continue;
      into = own(into, height);
      into->nodes[i] =
          merge(into->nodes[i], from->nodes[i], height - 1, first + (i << (height * kBits)), order);
    }
    return into;
  }
  bool all_from = true;  // then the two can share the node from now on
  KnownStore result[kWidth];
  for (std::uint32_t i = 0; i < kWidth; ++i) {
    const KnownStore a = into->stores[i];
    const KnownStore b = from->stores[i];
    const bool take = b && !(a == b) && (!a || order.is_later(first + i, b.key(), a.key()));
    result[i] = take ? b : a;
    all_from = all_from && result[i] == b;
  }
  if (all_from) {
    release(into, 0);
    ++from->references;
    return from;
  }
  into = own(into, 0);
  memcpy(static_cast<void*>(into->stores), result, sizeof result);
  return into;
}

}  // namespace heddle::strategy
