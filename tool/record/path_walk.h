// Walks along a program's control flow as a thread's bits and marks say. Private to this room.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/record/path_state.h"
#include "tool/record/path_tables.h"

namespace heddle {

// Bits of one stream, the oldest in the highest bit of the first byte; the latest ones were still pending.
class PathBits {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  void end_with(std::uint64_t pending) {
    pending_ = pending;
    pending_count_ = record::pending_count(pending);
  }

  std::uint64_t size() const { return 8 * bytes_.size() + pending_count_; }
  std::uint64_t position() const { return position_; }
  bool has(std::uint64_t count) const { return size() - position_ >= count; }
  // REQUIRES: has(count).
  std::uint64_t take(unsigned count);

 private:
  std::string bytes_;
  std::uint64_t pending_ = record::PathState::kNonePending;
  unsigned pending_count_ = 0;
  std::uint64_t position_ = 0;
};

// Answers whether there is room for more.
using PathSink = std::function<bool(const PathStep&)>;

// False: from some point on bits or marks fit no path.
bool walk_path(const PathTables::Tables& tables, PathBits bits, const std::vector<record::Mark>& marks,
               const PathSink& sink);

}  // namespace heddle
