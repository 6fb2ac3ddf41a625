#include "core/trace/corpus.h"

namespace heddle {

void Corpus::keep(std::uint32_t number, std::uint64_t index, std::span<const Pick> log, bool latest) {
  Owner& owner = owners_[number];
  const auto loses = [&] {
    const std::uint64_t known = owner.index.load(std::memory_order_relaxed);
    return known != 0 && (latest ? known > index + 1 : known <= index + 1);
  };
  if (loses()) return;
  // A worker that dies here, which ends its execution as lost, must not stop the others.
  constexpr std::uint32_t kPatience = 1u << 20;
  for (std::uint32_t tries = 0; owner.locked.exchange(1, std::memory_order_acquire) != 0 && tries < kPatience;
       ++tries) {
  }
  if (!loses()) {
    const std::uint32_t length =
        log.size() < kMostPicks ? static_cast<std::uint32_t>(log.size()) : kMostPicks;
    Pick* picks = length <= kShort ? short_[number] : long_[number];
    for (std::uint32_t i = 0; i < length; ++i) picks[i] = log[i];
    lengths_[number] = length;
    owner.index.store(index + 1, std::memory_order_relaxed);
  }
  owner.locked.store(0, std::memory_order_release);
}

std::uint32_t Corpus::logs(std::uint32_t round, std::uint64_t round_begin,
                           std::uint16_t (&numbers)[kMostLogs]) const {
  std::uint32_t count = 0;
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint64_t owner = owners_[i].index.load(std::memory_order_relaxed);
      if (owner != 0 && owner - 1 < round_begin) numbers[count++] = static_cast<std::uint16_t>(i);
    }
  };
  add(0, kByPair);
  const std::uint32_t half = kByPair + (round + 1) % 2 * kByFingerprint;
  add(half, half + kByFingerprint);
  return count;
}

}  // namespace heddle
