// A memory model that keeps the read under way, so that a test can look at the candidates and then pick one by
// its number. The reads themselves are those of every execution.
#pragma once

#include "runtime/memory/memory_model.h"

namespace heddle::memory {

class SteppedModel : public MemoryModel {
 public:
  std::span<const Candidate> readable_load(ThreadId t, const Place& place, MemoryOrder order) {
    return begin(begin_load(t, place, order));
  }
  std::span<const Candidate> readable_update(ThreadId t, const Place& place, MemoryOrder order) {
    return begin(begin_update(t, place, order));
  }
  std::span<const Candidate> readable_cas(ThreadId t, const Place& place, const CasRequest& request) {
    is_cas_ = true;
    return MemoryModel::readable_cas(t, place, request);
  }
  // How many places in S the picked candidate has.
  std::uint32_t begin_spots(std::uint32_t index) {
    if (is_cas_) return begin_cas_spots(index);
    return reading_.placed != 0 ? MemoryModel::begin_spots(reading_, store_at(reading_, index)) : 1;
  }
  // Answer what real memory is to hold.
  Value commit_load(std::uint32_t index) {
    if (is_cas_) return commit_failure(index);
    MemoryModel::commit_load(reading_, store_at(reading_, index));
    return newest_value(*reading_.location);
  }
  Value commit_update(std::uint32_t index, const Value& value, EventId event = kNoEvent) {
    if (is_cas_) return commit_success(index, value, event);
    return MemoryModel::commit_update(reading_, store_at(reading_, index), value, event);
  }

 private:
  std::span<const Candidate> begin(const Reading& reading) {
    is_cas_ = false;
    reading_ = reading;
    return candidates(reading);
  }

  Reading reading_;
  bool is_cas_ = false;
};

}  // namespace heddle::memory
