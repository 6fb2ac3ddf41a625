// Binary relations on the events of one execution, by their textbook definitions.
#pragma once

#include <cstdint>
#include <vector>

namespace oracle {

class Relation {
 public:
  explicit Relation(int n)
      : n_(n), words_((n + 63) / 64), bits_(static_cast<std::size_t>(n) * static_cast<std::size_t>(words_)) {}

  int size() const { return n_; }
  bool has(int a, int b) const { return (row(a)[b / 64] >> (b % 64)) & 1; }
  void add(int a, int b) { row(a)[b / 64] |= 1ull << (b % 64); }

  void remove(int a, int b) { row(a)[b / 64] &= ~(1ull << (b % 64)); }

  void add_all(const Relation& other) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
  }

  // this ; other
  Relation then(const Relation& other) const {
    Relation result(n_);
    for (int a = 0; a < n_; ++a) {
      for (int b = 0; b < n_; ++b) {
        if (has(a, b)) result.or_row(a, other.row(b));
      }
    }
    return result;
  }

  Relation inverse() const {
    Relation result(n_);
    for (int a = 0; a < n_; ++a) {
      for (int b = 0; b < n_; ++b) {
        if (has(a, b)) result.add(b, a);
      }
    }
    return result;
  }

  void remove_identity() {
    for (int a = 0; a < n_; ++a) remove(a, a);
  }

  // this⁺ (Warshall)
  void close() {
    for (int k = 0; k < n_; ++k) {
      for (int a = 0; a < n_; ++a) {
        if (has(a, k)) or_row(a, row(k));
      }
    }
  }

  // REQUIRES: closed, where acyclicity is meant.
  bool irreflexive() const {
    for (int a = 0; a < n_; ++a) {
      if (has(a, a)) return false;
    }
    return true;
  }

 private:
  std::uint64_t* row(int a) {
    return bits_.data() + static_cast<std::size_t>(a) * static_cast<std::size_t>(words_);
  }
  const std::uint64_t* row(int a) const {
    return bits_.data() + static_cast<std::size_t>(a) * static_cast<std::size_t>(words_);
  }
  void or_row(int a, const std::uint64_t* other) {
    std::uint64_t* mine = row(a);
    for (int w = 0; w < words_; ++w) mine[w] |= other[w];
  }

  int n_;
  int words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace oracle
