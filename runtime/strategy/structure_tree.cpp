#include "runtime/strategy/structure_tree.h"

#include "core/base/freestanding.h"

namespace heddle::strategy {

// A part of the graph that is entered at one place: the whole operation, or the body of a loop without the
// edges back to its entry. Its components are the places and the loops in it, each known by the smallest
// number in it; between them there is no way back.
struct StructureTree::Region {
  Set members;
  std::uint32_t entry;
  std::uint64_t visits;  // of the entry in one run; 0: not known
  std::uint32_t depth;
  std::uint32_t component[kVertices];
  Set body[kVertices];             // of a component
  Set next[kVertices];             // components that come after one
  bool leaves[kVertices];          // the region may end after it
  std::uint32_t meets[kVertices];  // where all ways from it meet again (its immediate postdominator)
};

void StructureTree::clear() {
  place_count_ = node_count_ = instruction_count_ = 0;
  vertices_[kBegin] = {};
}

std::uint32_t StructureTree::vertex_of(std::uint64_t place) const {
  for (std::uint32_t v = 1; v <= place_count_; ++v)
    if (vertices_[v].place == place) return v;
  return 0;
}

std::uint32_t StructureTree::add_place(std::uint64_t place) {
  if (const std::uint32_t known = vertex_of(place); known != 0) return known;
  if (place_count_ == kPlaces) return 0;
  vertices_[++place_count_] = {place, 0, 0, {}};
  return place_count_;
}

// Until the number of places is known the end has the last number of all.
void StructureTree::add_edge(std::uint64_t from, std::uint64_t to) {
  const std::uint32_t a = from == 0 ? kBegin : add_place(from);
  const std::uint32_t b = to == 0 ? kVertices - 1 : add_place(to);
  if ((from != 0 && a == 0) || b == 0) return;
  vertices_[a].next.add(b);
}

void StructureTree::add_visits(std::uint64_t place, std::uint64_t times) {
  const std::uint32_t v = add_place(place);
  if (v == 0) return;
  std::uint64_t& visits = vertices_[v].visits;
  visits = visits == 0 || visits == times ? times : kDifferent;
}

void StructureTree::build() {
  if (place_count_ == 0) return;
  // Into the order of addresses, whatever order the edges came in.
  std::uint32_t order[kVertices];
  for (std::uint32_t v = 1; v <= place_count_; ++v) {
    std::uint32_t at = v;
    for (; at > 1 && vertices_[order[at - 1]].place > vertices_[v].place; --at) order[at] = order[at - 1];
    order[at] = v;
  }
  std::uint32_t number[kVertices];
  for (std::uint32_t v = 1; v <= place_count_; ++v) number[order[v]] = v;
  number[kVertices - 1] = end();
  const auto renumbered = [&](const Vertex& vertex) {
    Vertex result = vertex;
    result.next = {};
    for (Set rest = vertex.next; !rest.empty(); rest.remove(rest.first()))
      result.next.add(number[rest.first()]);
    return result;
  };
  static_assert(sizeof(Vertex) * kVertices < 8192);
  Vertex sorted[kVertices];
  for (std::uint32_t v = 1; v <= place_count_; ++v) sorted[v] = renumbered(vertices_[order[v]]);
  vertices_[kBegin] = renumbered(vertices_[kBegin]);
  for (std::uint32_t v = 1; v <= place_count_; ++v) vertices_[v] = sorted[v];

  Set all{};
  for (std::uint32_t v = 0; v <= place_count_; ++v) all.add(v);
  nodes_[0] = {Type::kRoot, 0, 1, 0, 0, 0, 0};
  node_count_ = 1;
  build_region(0, all, kBegin, 1, 0);
  measure(nodes_[0], 0);
}

std::uint32_t StructureTree::add_node(std::uint32_t parent, Type type) {
  if (node_count_ == kNodes) return 0;
  const std::uint32_t index = node_count_++;
  nodes_[index] = {type, 0, 1, 0, 0, 0, instruction_count_};
  Node& above = nodes_[parent];
  if (above.first_child == 0)
    above.first_child = index;
  else
    nodes_[above.last_child].next = index;
  above.last_child = index;
  ++above.count;
  return index;
}

void StructureTree::add_instruction(std::uint32_t parent, std::uint32_t vertex) {
  if (instruction_count_ == kInstructions) return;
  std::uint32_t unit = nodes_[parent].last_child;
  if (unit == 0 || nodes_[unit].type != Type::kSequence) unit = add_node(parent, Type::kSequence);
  if (unit == 0) return;
  instructions_[instruction_count_++] = static_cast<std::uint8_t>(vertex);
  ++nodes_[unit].count;
}

void StructureTree::build_region(std::uint32_t parent, const Set& members, std::uint32_t entry,
                                 std::uint64_t visits, std::uint32_t depth) {
  Region region{};
  region.members = members;
  region.entry = entry;
  region.visits = visits;
  region.depth = depth;
  const auto successors = [&](std::uint32_t v) {
    Set next = vertices_[v].next.and_of(members);
    next.remove(entry);
    return next;
  };
  // Which members can be come to from which (Warshall).
  Set reach[kVertices] = {};
  for (Set rest = members; !rest.empty(); rest.remove(rest.first()))
    reach[rest.first()] = successors(rest.first());
  for (Set via = members; !via.empty(); via.remove(via.first())) {
    for (Set rest = members; !rest.empty(); rest.remove(rest.first()))
      if (reach[rest.first()].has(via.first())) reach[rest.first()].add(reach[via.first()]);
  }
  Set components{};
  for (Set rest = members; !rest.empty();) {
    const std::uint32_t c = rest.first();
    components.add(c);
    region.body[c].add(c);
    for (Set others = reach[c]; !others.empty(); others.remove(others.first()))
      if (reach[others.first()].has(c)) region.body[c].add(others.first());
    for (Set body = region.body[c]; !body.empty(); body.remove(body.first()))
      region.component[body.first()] = c;
    rest = rest.without(region.body[c]);
  }
  for (Set rest = components; !rest.empty(); rest.remove(rest.first())) {
    const std::uint32_t c = rest.first();
    for (Set body = region.body[c]; !body.empty(); body.remove(body.first())) {
      const Set& next = vertices_[body.first()].next;
      region.leaves[c] = region.leaves[c] || next.has(entry) || !next.without(members).empty();
      for (Set to = successors(body.first()).without(region.body[c]); !to.empty(); to.remove(to.first()))
        region.next[c].add(region.component[to.first()]);
    }
    // A run that was broken off there.
    region.leaves[c] = region.leaves[c] || region.next[c].empty();
  }
  // From the last components on, which have the fewest in and behind them: ways meet where those of all
  // successors do.
  for (Set rest = components; !rest.empty(); rest.remove(rest.first()))
    reach[rest.first()].add(region.body[rest.first()]);
  std::uint32_t distance[kVertices] = {};
  for (Set rest = components; !rest.empty();) {
    std::uint32_t last = rest.first();
    for (Set others = rest; !others.empty(); others.remove(others.first()))
      if (reach[others.first()].size() < reach[last].size()) last = others.first();
    rest.remove(last);
    Set next = region.next[last];
    std::uint32_t meet = region.leaves[last] ? end() : next.first();
    for (; !next.empty(); next.remove(next.first())) {
      std::uint32_t other = next.first();
      while (meet != other) {
        if (meet == end() || (other != end() && distance[other] > distance[meet]))
          other = region.meets[other];
        else
          meet = region.meets[meet];
      }
    }
    region.meets[last] = meet;
    distance[last] = meet == end() ? 1 : distance[meet] + 1;
  }
  build_path(region, parent, region.component[entry], end());
}

void StructureTree::build_path(const Region& region, std::uint32_t parent, std::uint32_t from,
                               std::uint32_t stop) {
  for (std::uint32_t c = from; c != stop && c != end();) {
    // The entry's own edge is the one back to it.
    const bool is_loop = region.body[c].size() > 1 || (c != region.entry && vertices_[c].next.has(c));
    if (is_loop)
      build_loop(region, parent, c);
    else if (c != kBegin)
      add_instruction(parent, c);
    Set next = region.next[c];
    const std::uint32_t ways = next.size() + (region.leaves[c] ? 1 : 0);
    if (ways == 1) {
      c = region.leaves[c] ? end() : next.first();
      continue;
    }
    const std::uint32_t selection = add_node(parent, Type::kSelection);
    if (selection == 0) return;
    for (; !next.empty(); next.remove(next.first())) {
      const std::uint32_t branch = add_node(selection, Type::kBranch);
      if (branch == 0) return;
      build_path(region, branch, next.first(), region.meets[c]);
    }
    if (region.leaves[c]) add_node(selection, Type::kBranch);
    c = region.meets[c];
  }
}

void StructureTree::build_loop(const Region& region, std::uint32_t parent, std::uint32_t component) {
  const Set& body = region.body[component];
  // Where it is entered from outside.
  std::uint32_t entry = component;
  for (Set rest = body; !rest.empty(); rest.remove(rest.first())) {
    bool from_outside = rest.first() == region.entry;
    for (Set others = region.members.without(body); !others.empty(); others.remove(others.first()))
      from_outside = from_outside || vertices_[others.first()].next.has(rest.first());
    if (!from_outside) continue;
    entry = rest.first();
    break;
  }
  const std::uint32_t loop = add_node(parent, Type::kLoop);
  if (loop == 0 || region.depth == kDeepest) return;
  const std::uint64_t visits = vertices_[entry].visits;
  const bool known = region.visits != 0 && visits != 0 && visits != kDifferent && visits % region.visits == 0;
  if (known) nodes_[loop].times = static_cast<std::uint32_t>(visits / region.visits);
  build_region(loop, body, entry, known ? visits : 0, region.depth + 1);
}

std::uint32_t StructureTree::sum(const Node& node) const {
  if (node.type == Type::kSequence) return node.count;
  std::uint32_t value = 0;
  for (std::uint32_t child = node.first_child; child != 0; child = nodes_[child].next) {
    const std::uint32_t part = sum(nodes_[child]);
    // Line 14 prints a sum over the branches; the text says which: the one with most instructions.
    if (node.type == Type::kSelection)
      value = part > value ? part : value;
    else
      value += node.times * part;
  }
  return value;
}

void StructureTree::measure(const Node& node, std::uint32_t after) {
  if (node.type == Type::kSequence) {
    for (std::uint32_t i = 0; i < node.count; ++i) {
      std::uint32_t& remaining = vertices_[instructions_[node.first_place + i]].remaining;
      const std::uint32_t here = node.count - i + after;
      remaining = here > remaining ? here : remaining;
    }
    return;
  }
  std::uint32_t behind = 0;
  if (node.type != Type::kSelection)
    for (std::uint32_t child = node.first_child; child != 0; child = nodes_[child].next)
      behind += sum(nodes_[child]);
  for (std::uint32_t child = node.first_child; child != 0; child = nodes_[child].next) {
    if (node.type != Type::kSelection) behind -= sum(nodes_[child]);
    measure(nodes_[child], after + behind);
  }
}

std::uint32_t StructureTree::remaining(std::uint64_t place) const {
  if (node_count_ == 0) return 0;
  std::uint32_t low = 1;
  for (std::uint32_t high = place_count_; low < high;) {
    const std::uint32_t middle = (low + high) / 2;
    if (vertices_[middle].place < place)
      low = middle + 1;
    else
      high = middle;
  }
  return vertices_[low].place == place ? vertices_[low].remaining : 0;
}

}  // namespace heddle::strategy
