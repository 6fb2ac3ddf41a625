#include "tool/merge/store/access_vector.h"

#include <algorithm>
#include <cstring>

#include "core/base/random.h"
#include "tool/record/access_log.h"

namespace heddle::merge {
namespace {

void write_varint(std::string& bytes, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) bytes += static_cast<char>(n | 0x80);
  bytes += static_cast<char>(n);
}

// Walks two vectors side by side: visit(run of a, run of b, how many positions) for each stretch in which
// both stay in one run; ends where one of them ends or `visit` answers false.
template <typename Visit>
void walk_together(std::string_view a, std::string_view b, Visit visit) {
  VectorReader first(a), second(b);
  Run x, y;
  while (true) {
    if (x.count == 0 && !first.next(x)) return;
    if (y.count == 0 && !second.next(y)) return;
    const std::uint64_t both = std::min(x.count, y.count);
    if (!visit(x, y, both)) return;
    x.count -= both;
    y.count -= both;
  }
}

// Goes on as kNoThread past the end.
class EndlessReader {
 public:
  explicit EndlessReader(std::string_view vector) : reader_(vector) { skip(0); }
  std::uint32_t thread() const { return run_.thread; }
  // Positions until the run ends.
  std::uint64_t left() const { return run_.count; }
  // REQUIRES: not more than left().
  void skip(std::uint64_t positions) {
    run_.count -= positions;
    if (run_.count == 0 && !reader_.next(run_)) run_ = {kNoThread, ~std::uint64_t{0}, false};
  }

 private:
  VectorReader reader_;
  Run run_;
};

}  // namespace

void VectorWriter::add(const Run& run) {
  if (run.count == 0) return;
  const std::uint32_t low = std::min(run.thread, VectorReader::kThreadFollows);
  write_varint(bytes_, (run.count - 1) << VectorReader::kCountShift | low << 1 | (run.with_last ? 1 : 0));
  if (low == VectorReader::kThreadFollows) write_varint(bytes_, run.thread - low);
}

std::uint64_t VectorReader::varint() {
  std::uint64_t n = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    n |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return n;
  }
  failed_ = true;
  rest_ = {};
  return 0;
}

bool VectorReader::next_long(Run& run) {
  const std::uint64_t head = varint();
  std::uint64_t thread = head >> 1 & kThreadFollows;
  if (thread == kThreadFollows) thread += varint();
  if (thread >= kNoThread) failed_ = true;
  run = {static_cast<std::uint32_t>(thread), (head >> kCountShift) + 1, (head & 1) != 0};
  return !failed_;
}

bool is_access_vector(std::string_view bytes, std::uint64_t threads) {
  VectorReader reader(bytes);
  std::uint64_t length = 0;
  for (Run run; reader.next(run);) {
    length += std::min(run.count, kMostAccesses + 1);
    if (run.thread >= threads || length > kMostAccesses) return false;
  }
  return !reader.failed();
}

std::uint64_t length_of(std::string_view vector) {
  VectorReader reader(vector);
  std::uint64_t length = 0;
  for (Run run; reader.next(run);) length += run.count;
  return length;
}

std::uint64_t equal_positions(std::string_view a, std::string_view b) {
  std::uint64_t equal = 0;
  walk_together(a, b, [&](const Run& x, const Run& y, std::uint64_t both) {
    if (x.thread == y.thread) equal += both;
    return true;
  });
  return equal;
}

double hamming_similarity(std::string_view a, std::string_view b) {
  if (a == b) return 1;
  const std::uint64_t longer = std::max(length_of(a), length_of(b));
  return static_cast<double>(equal_positions(a, b)) / static_cast<double>(longer);
}

bool same_prefix(std::string_view a, std::string_view b, std::uint64_t count) {
  if (a == b) return true;
  std::uint64_t same_so_far = 0;
  walk_together(a, b, [&](const Run& x, const Run& y, std::uint64_t both) {
    const bool same = x.thread == y.thread && x.with_last == y.with_last;
    if (same) same_so_far += both;
    return same && same_so_far < count;
  });
  return same_so_far >= count;
}

void sample(std::string_view vector, std::span<const std::uint64_t> positions, std::uint32_t* threads) {
  VectorReader reader(vector);
  std::uint64_t end = 0;
  Run run;
  for (const std::uint64_t position : positions) {
    while (position >= end && reader.next(run)) end += run.count;
    *threads++ = position < end ? run.thread : kNoThread;
  }
}

std::vector<Stretch> differences(std::string_view vector, std::string_view from) {
  std::vector<Stretch> found;
  EndlessReader own(vector), other(from);
  for (std::uint64_t at = 0; own.thread() != kNoThread || other.thread() != kNoThread;) {
    const std::uint64_t both = std::min(own.left(), other.left());
    if (own.thread() != other.thread()) {
      if (!found.empty() && found.back().end == at && found.back().thread == own.thread())
        found.back().end += both;
      else
        found.push_back({at, at + both, own.thread()});
    }
    at += both;
    own.skip(both);
    other.skip(both);
  }
  return found;
}

std::string majority_of(std::span<const std::string_view> vectors) {
  std::vector<EndlessReader> readers(vectors.begin(), vectors.end());
  VectorWriter writer;
  Run run;
  while (true) {
    std::uint64_t all = ~std::uint64_t{0};
    std::uint32_t most = kNoThread;
    std::ptrdiff_t votes = 0;
    for (const EndlessReader& reader : readers) {
      all = std::min(all, reader.left());
      const auto same = std::ranges::count(readers, reader.thread(), &EndlessReader::thread);
      if (same > votes || (same == votes && reader.thread() < most)) {
        most = reader.thread();
        votes = same;
      }
    }
    if (most == kNoThread) break;
    if (most != run.thread) {
      writer.add(run);
      run = {most, 0, false};
    }
    run.count += all;
    for (EndlessReader& reader : readers) reader.skip(all);
  }
  writer.add(run);
  return writer.take();
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = mix(hash, word);
    bytes.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, bytes.data(), bytes.size());
  return mix(hash, rest);
}

}  // namespace heddle::merge
