#include "tool/merge/entry_order.h"

#include <algorithm>

namespace heddle::merge {
namespace {

// Entries in a row that are one, so that a run of millions costs no more than one of hundreds.
constexpr std::uint64_t kMostPieces = 256;

struct Piece {
  double rank = 0;
  std::uint32_t thread = 0;
  std::uint64_t entries = 0;
};

void add_pieces(const ThreadRun& run, std::vector<Piece>& pieces) {
  const std::uint64_t count = std::min(run.accesses, kMostPieces);
  const auto length = static_cast<double>(run.last_rank - run.first_rank);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double part = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    const std::uint64_t before = run.accesses / count * i + std::min(i, run.accesses % count);
    const std::uint64_t after = run.accesses / count * (i + 1) + std::min(i + 1, run.accesses % count);
    pieces.push_back({static_cast<double>(run.first_rank) + part * length, run.thread, after - before});
  }
}

}  // namespace

std::vector<ThreadRun> entry_order(const AccessLog& log) {
  std::vector<Piece> pieces;
  bool is_ranked = false;
  for (const AccessVector& vector : log.vectors) {
    for (const ThreadRun& run : vector.runs) {
      is_ranked = is_ranked || run.last_rank != 0;
      add_pieces(run, pieces);
    }
  }
  if (!is_ranked) return {};
  std::ranges::stable_sort(pieces, {}, &Piece::rank);
  std::vector<ThreadRun> order;
  for (const Piece& piece : pieces) {
    if (order.empty() || order.back().thread != piece.thread) order.push_back({piece.thread, false, 0, 0, 0});
    order.back().accesses += piece.entries;
  }
  return order;
}

}  // namespace heddle::merge
