// An access vector: which thread made the first access to a shared element, which the second, and so on
// (LEAP; thesis §3.1.1). Programs access in runs, so the coding is by runs: one byte for a short run of one
// of the first threads. Equal vectors have equal bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::merge {

struct Run {
  std::uint32_t thread = 0;  // index into the log set's thread names
  std::uint64_t count = 0;
  bool with_last = false;  // ThreadRun::with_last: it and the run before may come in any order
};

class VectorWriter {
 public:
  // As it is. The recorder splits runs where order matters, and nowhere else.
  void add(const Run& run);
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads a vector run by run. Bytes that are no vector end it early, with failed().
class VectorReader {
 public:
  explicit VectorReader(std::string_view bytes) : rest_(bytes) {}
  bool next(Run& run) {
    if (rest_.empty()) return false;
    const auto head = static_cast<unsigned char>(rest_.front());
    if (head >= 0x80 || (head & kThreadMask) == kThreadMask) return next_long(run);
    rest_.remove_prefix(1);
    run = {(head & kThreadMask) >> 1, (head >> kCountShift) + std::uint64_t{1}, (head & 1) != 0};
    return true;
  }
  bool failed() const { return failed_; }

 private:
  friend class VectorWriter;
  // A run's first number has with_last in its lowest bit and the thread in the next ones; all of them set say
  // that the thread follows.
  static constexpr unsigned kThreadMask = 0xe;
  static constexpr unsigned kThreadFollows = kThreadMask >> 1;
  static constexpr unsigned kCountShift = 4;

  bool next_long(Run& run);
  std::uint64_t varint();
  std::string_view rest_;
  bool failed_ = false;
};

// Whole runs whose threads are below `threads`, and no more accesses than a run can make (kMostAccesses).
bool is_access_vector(std::string_view bytes, std::uint64_t threads);

std::uint64_t length_of(std::string_view vector);

// Positions at which the same thread accessed. Where one vector is shorter, the thesis pads it with threads
// that occur nowhere (§3.2.3), so positions past its end are never equal.
std::uint64_t equal_positions(std::string_view a, std::string_view b);

// The equal positions divided by the longer length, so in [0, 1]. Two empty vectors are equal.
double hamming_similarity(std::string_view a, std::string_view b);

// Are the first `count` accesses of both the same? Where both end before, all of them.
bool same_prefix(std::string_view a, std::string_view b, std::uint64_t count);

// The threads at `positions`, which ascend; kNoThread past the end.
inline constexpr std::uint32_t kNoThread = ~0u;
void sample(std::string_view vector, std::span<const std::uint64_t> positions, std::uint32_t* threads);

// Positions at which two vectors differ, those past the end of one of them included, in ascending order.
// `thread`: whose they are in the first vector; kNoThread past its end.
struct Stretch {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t thread = 0;
};
std::vector<Stretch> differences(std::string_view vector, std::string_view from);

// At each position the thread that most of the vectors have there; it ends where most have ended.
std::string majority_of(std::span<const std::string_view> vectors);

std::uint64_t hash_of(std::string_view bytes);

}  // namespace heddle::merge
