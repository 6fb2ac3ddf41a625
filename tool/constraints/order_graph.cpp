#include "tool/constraints/order_graph.h"

#include <algorithm>
#include <queue>

namespace heddle::constraints {

OrderGraph::OrderGraph(std::size_t nodes, std::span<const Node> order)
    : out_(nodes),
      in_(nodes),
      position_(nodes, 0),
      order_(order.begin(), order.end()),
      visited_(nodes, 0),
      parent_(nodes) {
  for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
}

bool OrderGraph::add(Node from, Node to, Label label, std::vector<Label>& labels) {
  if (position_[from] >= position_[to]) {
    forward_.clear();
    backward_.clear();
    const bool cycle = search_forward(to, from, position_[from]);
    if (cycle) {
      for (Node n = from; n != to; n = parent_[n].to) {
        if (parent_[n].label != kForced) labels.push_back(parent_[n].label);
      }
      for (Node n : forward_) visited_[n] = 0;
      return false;
    }
    search_backward(from, position_[to]);
    reorder();
  }
  out_[from].push_back({to, label});
  in_[to].push_back({from, label});
  return true;
}

void OrderGraph::remove(Node from, Node to) {
  const auto drop = [](std::vector<Edge>& edges, Node end) {
    const auto last = std::find_if(edges.rbegin(), edges.rend(), [&](const Edge& e) { return e.to == end; });
    edges.erase(std::next(last).base());
  };
  drop(out_[from], to);
  drop(in_[to], from);
}

void OrderGraph::prefer(std::span<const Node> wanted) {
  std::vector<std::uint32_t> rank(position_.size(), 0), missing(position_.size(), 0);
  for (std::uint32_t i = 0; i < wanted.size(); ++i) rank[wanted[i]] = i;
  using Entry = std::pair<std::uint32_t, Node>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (Node n : order_) {
    missing[n] = static_cast<std::uint32_t>(in_[n].size());
    if (missing[n] == 0) ready.emplace(rank[n], n);
  }
  for (std::uint32_t next = 0; !ready.empty(); ++next) {
    const Node n = ready.top().second;
    ready.pop();
    position_[n] = next;
    order_[next] = n;
    for (const Edge& e : out_[n]) {
      if (--missing[e.to] == 0) ready.emplace(rank[e.to], e.to);
    }
  }
}

bool OrderGraph::search_forward(Node from, Node goal, std::uint32_t limit) {
  stack_.assign(1, from);
  visited_[from] = 1;
  forward_.push_back(from);
  if (from == goal) return true;
  // Breadth first: the shorter the path, the fewer the literals of the conflict.
  for (std::size_t next = 0; next < stack_.size(); ++next) {
    const Node n = stack_[next];
    for (const Edge& e : out_[n]) {
      if (visited_[e.to] != 0 || position_[e.to] > limit) continue;
      visited_[e.to] = 1;
      parent_[e.to] = {n, e.label};
      forward_.push_back(e.to);
      if (e.to == goal) return true;
      stack_.push_back(e.to);
    }
  }
  return false;
}

void OrderGraph::search_backward(Node from, std::uint32_t limit) {
  stack_.assign(1, from);
  visited_[from] = 1;
  backward_.push_back(from);
  while (!stack_.empty()) {
    const Node n = stack_.back();
    stack_.pop_back();
    for (const Edge& e : in_[n]) {
      if (visited_[e.to] != 0 || position_[e.to] < limit) continue;
      visited_[e.to] = 1;
      backward_.push_back(e.to);
      stack_.push_back(e.to);
    }
  }
}

void OrderGraph::reorder() {
  const auto by_position = [&](Node a, Node b) { return position_[a] < position_[b]; };
  std::sort(forward_.begin(), forward_.end(), by_position);
  std::sort(backward_.begin(), backward_.end(), by_position);
  std::vector<std::uint32_t> places;
  places.reserve(forward_.size() + backward_.size());
  for (Node n : backward_) places.push_back(position_[n]);
  for (Node n : forward_) places.push_back(position_[n]);
  std::sort(places.begin(), places.end());
  std::size_t next = 0;
  for (const std::vector<Node>* part : {&backward_, &forward_}) {
    for (Node n : *part) {
      visited_[n] = 0;
      position_[n] = places[next++];
      order_[position_[n]] = n;
    }
  }
}

}  // namespace heddle::constraints
