#include "runtime/symbolic/path_follower.h"

#include "core/record/path_ids.h"

namespace heddle::symbolic {

std::uint32_t PathFollower::path_of(const Who& who) const {
  if (who.parent == kNoThread) return question_->paths != 0 ? 1 : kNone;
  const std::uint32_t parent = threads_[index_of(who.parent)].path;
  for (std::uint32_t i = 1; i < question_->paths; ++i) {
    const PathQuestion::Path& path = question_->path[i];
    if (path.child == who.child && path.parent + 1 == parent) return i + 1;
  }
  return kNone;
}

std::uint32_t PathFollower::after(const PathQuestion::Path& path, std::uint32_t position,
                                  std::uint64_t bits) const {
  const std::uint64_t* const steps = question_->step + path.first_step;
  if (steps[position] == bits) return position + 1;
  // Loops that this may be another round of, or one more than there was.
  const PathQuestion::Loop* const loops = question_->loop + path.first_loop;
  std::uint32_t low = 0;
  for (std::uint32_t high = path.loops; low < high;) {
    const std::uint32_t middle = low + (high - low) / 2;
    (loops[middle].end + PathQuestion::kLongestRound <= position) ? low = middle + 1 : high = middle;
  }
  for (; low < path.loops && loops[low].begin <= position; ++low) {
    const PathQuestion::Loop& loop = loops[low];
    // A round and what comes after the loop may begin with the same steps: only where they part it shows which it was.
    const bool is_behind = position >= loop.end;
    const std::uint32_t taken_for = is_behind ? loop.end : loop.begin;
    const std::uint32_t instead = is_behind ? loop.begin : loop.end;
    const std::uint32_t since = position - taken_for;
    if (since > loop.end - loop.begin) continue;
    if (instead + since >= path.steps || steps[instead + since] != bits) continue;
    bool are_alike = true;
    for (std::uint32_t i = 0; i < since && are_alike; ++i)
      are_alike = steps[taken_for + i] == steps[instead + i];
    if (are_alike) return instead + since + 1;
  }
  return kNone;
}

void PathFollower::leave(Thread& thread, std::uint32_t choices) {
  if (!somebody_left_) {
    somebody_left_ = true;
    question_->left_by = thread.path - 1;
    question_->left_at = choices;
  }
}

void PathFollower::step(const Who& who, std::uint64_t place, std::uint8_t kind, std::uint64_t outcome) {
  Thread& thread = threads_[index_of(who.thread)];
  thread.indirect_call = 0;  // (an exception has left the call that was being made)
  if (thread.path == kUnknown) thread.path = path_of(who);
  if (thread.path == kNone) return;
  const PathQuestion::Path& path = question_->path[thread.path - 1];
  // A thread may go on after its log ends: others went on until the process was gone, or it died before it could write
  // everything. Its children are still known by it.
  if (thread.position >= path.steps) return;
  const std::uint32_t next = after(path, thread.position, path_step_bits(place, kind, outcome));
  if (next == kNone) {
    leave(thread, who.choices);
    thread.position = path.steps;
    return;
  }
  // Rounds of a loop are no progress.
  if (next > thread.position) together_ += next - thread.position;
  if (next < thread.position) together_ -= thread.position - next;
  thread.position = next;
  question_->reached[thread.path - 1] = next;
  if (!somebody_left_) question_->together = together_;
}

void PathFollower::entered(const Who& who, std::uint64_t function) {
  const std::uint64_t call = threads_[index_of(who.thread)].indirect_call;
  if (call == 0) return;
  step(who, call, static_cast<std::uint8_t>(record::StepKind::kIndirectCall), function);
}

}  // namespace heddle::symbolic
