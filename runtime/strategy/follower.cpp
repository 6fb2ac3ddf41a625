#include "runtime/strategy/follower.h"

#include "core/trace/channel.h"

namespace heddle::strategy {

void Follower::begin(std::uint64_t seed, std::uint64_t index, const View& view) {
  random_.reseed(mix(seed, index));
  view_ = &view;
  seed_ = seed;
  index_ = index;
  events_ = communications_ = 0;
  threads_.clear();
  pairs_.begin(index);
  if (record_ != nullptr) record_->clear();
  *marks_ = {};
  for (std::uint32_t& turn : turns_) turn = 0;
  start();
}

bool Follower::encounter_anew(Record& record, ThreadId thread) {
  const NextOperation next = view_->next_operation(thread);
  if (!is_shared_access(next.kind) || view_->unfinished_threads() < 2) return false;
  record.counted = true;
  ++events_;
  if (is_communication_event(next.kind, next.order)) ++communications_;
  return meet(thread, next);
}

void Follower::performed(const Operation& operation) {
  Record& record = threads_[operation.thread];
  // A volatile write takes effect when its thread has announced the next operation already.
  if (is_shared_access(operation.kind) && operation.kind != EventKind::kVolatileWrite)
    encounter(operation.thread);
  record.counted = false;
  std::uint64_t saw = operation.reads ? operation.read.bits + 1 : 0;
  if (!is_memory_access(operation.kind) && is_shared_access(operation.kind) && operation.address != 0) {
    std::uint32_t& turn = turns_[(operation.address * 0x9e3779b97f4a7c15ull) >> 56];
    // (The order of two plain reads says nothing.)
    saw = operation.kind == EventKind::kPlainRead ? turn : ++turn;
  }
  record.hash =
      (record.hash ^ (saw << 8 | static_cast<std::uint64_t>(operation.kind))) * 0xff51afd7ed558ccdull;
  record.hash ^= record.hash >> 29;
  // What was read there a moment ago has been counted.
  if (!watch_spin(record, operation)) pairs_.performed(operation);
  after(operation);
}

bool Follower::watch_spin(Record& thread, const Operation& operation) {
  if (operation.kind == EventKind::kYield) return false;
  if (!operation.reads || operation.writes) {
    thread.repeated = 0;
    return false;
  }
  const auto at = static_cast<std::uint32_t>((operation.pc * 0x9e3779b97f4a7c15ull) >> 62);
  const auto seen =
      static_cast<std::uint32_t>(mix(operation.pc + operation.address, operation.read.bits)) | 1;
  const bool again = thread.places[at] == seen;
  thread.repeated = again ? thread.repeated + 1 : 0;
  thread.places[at] = seen;
  return again;
}

void Follower::end(ExecutionResult& result) {
  result.counted_events = events_;
  result.communications = communications_;
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < threads_.size(); ++i)
    all += mix(threads_[ThreadId{static_cast<std::uint16_t>(i)}].hash, i);
  result.fingerprint = all;
  marks_->before = marks_->last;
  marks_->last = {all, pairs_.size(), record_ != nullptr ? record_->size() : 0};
}

void Follower::teach(const ExecutionResult& result) {
  if (learning_ == nullptr) return;
  const Mark& mark = marks_->last.fingerprint == result.fingerprint ? marks_->last : marks_->before;
  pairs_.teach(*learning_, result.index, mark.pairs, [&](std::uint64_t pair) {
    if (record_ != nullptr) learning_->corpus().keep_for_pair(pair, result.index, record_->picks(mark.picks));
  });
  if (record_ == nullptr) return;
  const std::uint32_t round = round_of(result.index);
  const std::uint64_t seen = behaviour(result);
  if (!learning_->is_fingerprint_known(seen, round))
    learning_->corpus().keep_for_fingerprint(seen, result.index, round, record_->picks(mark.picks));
  learning_->note_fingerprint(seen, result.index);
}

std::uint32_t Follower::learned_events() const {
  return learning_ != nullptr ? learning_->events(round_of(index_)) : 0;
}

std::uint32_t Follower::learned_communications() const {
  return learning_ != nullptr ? learning_->communications(round_of(index_)) : 0;
}

}  // namespace heddle::strategy
