#include "tool/merge/store/entry_order.h"

#include <algorithm>

namespace heddle::merge {
namespace {

// Entries in a row that are one, so that a run of millions costs no more than one of hundreds.
constexpr std::uint64_t kMostPieces = 256;

}  // namespace

void EntryOrder::add(const AccessVector& vector) {
  for (const ThreadRun& run : vector.runs) {
    is_ranked_ = is_ranked_ || run.last_rank != 0;
    const std::uint64_t count = std::min(run.accesses, kMostPieces);
    const auto length = static_cast<double>(run.last_rank - run.first_rank);
    for (std::uint64_t i = 0; i < count; ++i) {
      const double part = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
      const std::uint64_t before = run.accesses / count * i + std::min(i, run.accesses % count);
      const std::uint64_t after = run.accesses / count * (i + 1) + std::min(i + 1, run.accesses % count);
      pieces_.push_back({static_cast<double>(run.first_rank) + part * length, run.thread, after - before});
    }
  }
}

std::vector<ThreadRun> EntryOrder::runs() const {
  if (!is_ranked_) return {};
  std::vector<Piece> pieces = pieces_;
  std::ranges::stable_sort(pieces, {}, &Piece::rank);
  std::vector<ThreadRun> runs;
  for (const Piece& piece : pieces) {
    if (runs.empty() || runs.back().thread != piece.thread) runs.push_back({piece.thread, false, 0, 0, 0});
    runs.back().accesses += piece.entries;
  }
  return runs;
}

}  // namespace heddle::merge
