// A directed graph without cycles that keeps a topological order of its nodes while edges come and go (Pearce
// and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", 2006).
//
// The order at the start is the caller's, and an edge moves only what it must: with the observed schedule as
// the start, the order is at all times a schedule near the observed one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::constraints {

class OrderGraph {
 public:
  using Node = std::uint32_t;
  using Label = std::uint32_t;  // what an edge rests on
  static constexpr Label kForced = ~0u;

  // `order`: every node once. Edges that are added as kForced have to agree with it.
  OrderGraph(std::size_t nodes, std::span<const Node> order);

  // False: there is a path from `to` to `from`, and `labels` gets what its edges rest on.
  bool add(Node from, Node to, Label label, std::vector<Label>& labels);
  // The latest edge that was added between them.
  void remove(Node from, Node to);
  // Orders all nodes anew: by `wanted`, as far as the edges let them.
  void prefer(std::span<const Node> wanted);

  std::uint32_t position(Node n) const { return position_[n]; }
  std::span<const Node> order() const { return order_; }

 private:
  struct Edge {
    Node to;
    Label label;
  };
  bool search_forward(Node from, Node goal, std::uint32_t limit);
  void search_backward(Node from, std::uint32_t limit);
  void reorder();

  std::vector<std::vector<Edge>> out_, in_;
  std::vector<std::uint32_t> position_;
  std::vector<Node> order_;
  std::vector<std::uint8_t> visited_;
  std::vector<Edge> parent_;  // how search_forward came to a node
  std::vector<Node> forward_, backward_, stack_;
};

}  // namespace heddle::constraints
