// The structure tree of an operation (CGVT, III.B): its instructions in sequential units, loop units and
// selection units, from which k is calculated (Algorithm 2). An instruction is a place of the program where
// the operation performs something that counts as an event.
//
// The tree is made of what runs have shown, and so for every compiler: which place comes after which. A set
// of places that can be come to from each other is a loop; a place that others than one come after begins a
// selection, which ends where all its branches meet again. θ of a loop is known where every run that came to
// it went through it as often; otherwise it is 1. Code that no run has shown is not in the tree, nor is what
// goes beyond the room here: k is then too small, and is calculated again when that shows.
#pragma once

#include <cstdint>

namespace heddle::strategy {

class StructureTree {
 public:
  enum class Type : char { kRoot = 'R', kLoop = 'L', kSelection = 'C', kBranch = 'B', kSequence = 'S' };
  struct Node {
    Type type;
    std::uint32_t count;        // num: of children; of a sequential unit: of instructions
    std::uint32_t times;        // θ
    std::uint32_t first_child;  // 0: none
    std::uint32_t last_child;
    std::uint32_t next;         // the next child of the same node; 0: none
    std::uint32_t first_place;  // of a sequential unit
  };

  static constexpr std::uint32_t kPlaces = 126;

  void clear();
  // `to` came after `from`; 0: the beginning or the end of the operation. In any order.
  void add_edge(std::uint64_t from, std::uint64_t to);
  // One run of the operation came to `place` so many times.
  void add_visits(std::uint64_t place, std::uint64_t times);
  // After all of these.
  void build();

  // Algorithm 2: SUM of the root. 0: no run has shown anything.
  std::uint32_t sum() const { return node_count_ == 0 ? 0 : sum(nodes_[0]); }
  // What a run that stands before `place` has still to do, if it leaves every loop around it after this
  // iteration, with the instruction there. 0: the place is not in the tree.
  std::uint32_t remaining(std::uint64_t place) const;

  const Node& root() const { return nodes_[0]; }
  const Node& node(std::uint32_t index) const { return nodes_[index]; }

 private:
  // Places are numbered in the order of their addresses, from 1; then comes the end.
  static constexpr std::uint32_t kBegin = 0;
  static constexpr std::uint32_t kVertices = kPlaces + 2;
  static constexpr std::uint32_t kNodes = 512;
  static constexpr std::uint32_t kInstructions = 1024;
  static constexpr std::uint32_t kDeepest = 8;  // loops within loops
  static constexpr std::uint64_t kDifferent = ~0ull;

  struct Set {
    std::uint64_t words[kVertices / 64];
    bool has(std::uint32_t v) const { return (words[v / 64] >> (v % 64)) & 1; }
    void add(std::uint32_t v) { words[v / 64] |= 1ull << (v % 64); }
    void remove(std::uint32_t v) { words[v / 64] &= ~(1ull << (v % 64)); }
    void add(const Set& other) {
      for (std::uint32_t i = 0; i < kVertices / 64; ++i) words[i] |= other.words[i];
    }
    Set without(const Set& other) const {
      Set rest{};
      for (std::uint32_t i = 0; i < kVertices / 64; ++i) rest.words[i] = words[i] & ~other.words[i];
      return rest;
    }
    Set and_of(const Set& other) const {
      Set both{};
      for (std::uint32_t i = 0; i < kVertices / 64; ++i) both.words[i] = words[i] & other.words[i];
      return both;
    }
    std::uint32_t size() const {
      std::uint32_t count = 0;
      for (const std::uint64_t word : words) count += static_cast<std::uint32_t>(__builtin_popcountll(word));
      return count;
    }
    std::uint32_t first() const {
      for (std::uint32_t i = 0; i < kVertices / 64; ++i)
        if (words[i] != 0) return i * 64 + static_cast<std::uint32_t>(__builtin_ctzll(words[i]));
      return kVertices;
    }
    bool empty() const { return first() == kVertices; }
  };
  struct Vertex {
    std::uint64_t place;
    std::uint64_t visits;  // 0: not known; kDifferent
    std::uint32_t remaining;
    Set next;
  };
  struct Region;

  std::uint32_t vertex_of(std::uint64_t place) const;
  std::uint32_t add_place(std::uint64_t place);
  std::uint32_t end() const { return place_count_ + 1; }
  std::uint32_t add_node(std::uint32_t parent, Type type);
  void add_instruction(std::uint32_t parent, std::uint32_t vertex);
  void build_region(std::uint32_t parent, const Set& members, std::uint32_t entry, std::uint64_t visits,
                    std::uint32_t depth);
  void build_path(const Region& region, std::uint32_t parent, std::uint32_t from, std::uint32_t stop);
  void build_loop(const Region& region, std::uint32_t parent, std::uint32_t component);
  std::uint32_t sum(const Node& node) const;
  void measure(const Node& node, std::uint32_t after);

  // While edges are added places are numbered as they come, and `build` puts them into order.
  Vertex vertices_[kVertices];
  std::uint32_t place_count_;
  Node nodes_[kNodes];
  std::uint32_t node_count_;
  std::uint8_t instructions_[kInstructions];
  std::uint32_t instruction_count_;
};

}  // namespace heddle::strategy
