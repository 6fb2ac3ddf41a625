#include "runtime/strategy/runs_on.h"

#include "runtime/strategy/run_lengths.h"

namespace heddle::strategy {
namespace {

constexpr std::uint32_t kPiece = 64;  // operations after which it is looked whether the thread spins

}  // namespace

void RunsOnStrategy::begin(std::uint64_t seed, std::uint64_t index, const View& view) {
  view_ = &view;
  random_.reseed(mix(seed, index));
  scale_ = mean_ != 0 ? mean_ : draw_run_scale(random_);
  reads_newest_ = random_.below(2) == 0;
  stay_ = left_ = 0;
  piece_began_ = 0;
}

bool RunsOnStrategy::goes_on(const ChoicePoint& point) const {
  return point.thread_can_continue && left_ != 0 && view_->latest_change() >= piece_began_ &&
         view_->next_operation(point.thread).kind != EventKind::kYield;
}

std::uint32_t RunsOnStrategy::choose(const ChoicePoint& point) {
  if (point.kind == ChoiceKind::kReadsFrom && reads_newest_) return point.fallback;
  if (point.kind != ChoiceKind::kThread) return random_.below(point.count);
  std::uint32_t picked = point.fallback;
  if (goes_on(point)) {
    --left_;
  } else {
    left_ = draw_run_length(random_, scale_);
    picked = random_.below(point.count);
  }
  stay_ = left_ < kPiece ? left_ : kPiece;
  left_ -= stay_;
  piece_began_ = point.step;
  return picked;
}

}  // namespace heddle::strategy
