// Walks along a program's control flow as a thread's bits and marks say. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tool/record/path_bits.h"
#include "tool/record/path_tables.h"

namespace heddle {

// What a walk comes by: counted up to `most` steps, of which the first `kept` are kept.
class PathSteps {
 public:
  PathSteps(std::size_t most, std::size_t kept) : most_(most), kept_(kept) {}

  bool has_room() const { return count_ < most_; }
  // REQUIRES: has_room().
  void add(const PathStep& step) {
    if (count_ < kept_) steps_.push_back(step);
    ++count_;
    decisions_ += step.is_decision() ? 1 : 0;
  }
  // Makes room for `count` steps that are to be expected.
  void expect(std::size_t count) { steps_.reserve(count < kept_ ? count : kept_); }

  std::uint64_t decisions() const { return decisions_; }
  std::uint64_t marks() const { return count_ - decisions_; }
  std::vector<PathStep>& steps() { return steps_; }

 private:
  std::size_t most_;
  std::size_t kept_;
  std::size_t count_ = 0;
  std::uint64_t decisions_ = 0;
  std::vector<PathStep> steps_;
};

// False: from some point on bits or marks fit no path. It ends where there is no more room.
bool walk_path(const PathTables::Tables& tables, PathBits bits, const std::vector<record::Mark>& marks,
               PathSteps& steps);

}  // namespace heddle
