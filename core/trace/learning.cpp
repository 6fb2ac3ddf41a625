#include "core/trace/learning.h"

#include "core/base/random.h"
#include "core/trace/channel.h"

namespace heddle {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

constexpr std::uint64_t next_begin(std::uint64_t begin) {
  if (begin < 2) return begin + 1;
  if (begin < 8) return begin * 2;
  return begin + (begin / 4 > 8 ? begin / 4 : 8);
}

// Every execution asks for its round: all of them are worked out beforehand.
struct RoundBegins {
  std::uint64_t at[kMostRounds + 1] = {};
};
constexpr RoundBegins round_begins() {
  RoundBegins begins;
  for (std::uint32_t r = 1; r <= kMostRounds; ++r) begins.at[r] = next_begin(begins.at[r - 1]);
  return begins;
}
constexpr RoundBegins kRounds = round_begins();

std::uint64_t not_zero(std::uint64_t fingerprint) { return fingerprint != 0 ? fingerprint : 1; }

}  // namespace

std::uint64_t round_begin(std::uint32_t round) {
  std::uint64_t begin = kRounds.at[round < kMostRounds ? round : kMostRounds];
  for (std::uint32_t r = kMostRounds; r < round; ++r) begin = next_begin(begin);
  return begin;
}

// The last round that begins at or before `index`; the last of all has no end.
std::uint32_t round_of(std::uint64_t index) {
  std::uint32_t round = 0;
  for (std::uint32_t step = kMostRounds / 2; step != 0; step /= 2) {
    if (kRounds.at[round + step] <= index) round += step;
  }
  return round;
}
static_assert((kMostRounds & (kMostRounds - 1)) == 0);

std::uint64_t behaviour(const ExecutionResult& result) {
  return result.fingerprint != 0 ? mix(result.fingerprint, result.signature) : result.trace_hash;
}

void Learning::note(const ExecutionResult& result) {
  RoundRecord& round = rounds_[round_of(result.index)];
  if (result.counted_events != 0 && (result.flags & result_flags::kFairMode) == 0) {
    round.executions.fetch_add(1, kRelaxed);
    round.events.fetch_add(result.counted_events, kRelaxed);
    round.communications.fetch_add(result.communications, kRelaxed);
  }
  if (result.member < kMostMembers) {
    round.members[result.member].executions.fetch_add(1, kRelaxed);
    round.members[result.member].steps.fetch_add(result.steps, kRelaxed);
    if (result.signature != 0) round.members[result.member].buggy.fetch_add(1, kRelaxed);
    if (result.index < kJudged) {
      const std::uint64_t fingerprint = not_zero(behaviour(result));
      fingerprints_[result.index].store(fingerprint, kRelaxed);
      members_[result.index].store(static_cast<std::uint8_t>(result.member + 1), kRelaxed);
      note_fingerprint(fingerprint, result.index);
    }
  }
}

void Learning::note_fingerprint(std::uint64_t fingerprint, std::uint64_t index) {
  if (index < kJudged) seen_.note(not_zero(fingerprint), index);
}

bool Learning::is_fingerprint_known(std::uint64_t fingerprint, std::uint32_t round) const {
  return seen_.known_before(not_zero(fingerprint), round_begin(round));
}

const RoundRecord& Learning::judged_round(std::uint32_t number) {
  RoundRecord& round = rounds_[number];
  if (round.judged.load(std::memory_order_acquire) != 0) return round;
  // Several workers may do this at the same time; all come to the same counts.
  std::uint64_t fresh[kMostMembers] = {};
  const std::uint64_t end = round_begin(number + 1) < kJudged ? round_begin(number + 1) : kJudged;
  for (std::uint64_t i = round_begin(number); i < end; ++i) {
    const std::uint8_t member = members_[i].load(kRelaxed);
    if (member != 0 && seen_.is_first(fingerprints_[i].load(kRelaxed), i)) ++fresh[member - 1];
  }
  for (std::uint32_t m = 0; m < kMostMembers; ++m) round.members[m].fresh.store(fresh[m], kRelaxed);
  round.judged.store(1, std::memory_order_release);
  return round;
}

std::uint32_t Learning::mean(std::uint32_t round, std::atomic<std::uint64_t> RoundRecord::* sum) const {
  std::uint64_t all = 0;
  std::uint64_t executions = 0;
  for (std::uint32_t r = 0; r < round && r < kMostRounds; ++r) {
    all += (rounds_[r].*sum).load(kRelaxed);
    executions += rounds_[r].executions.load(kRelaxed);
  }
  return executions == 0 ? 0 : static_cast<std::uint32_t>((all + executions - 1) / executions);
}

ProfiledPlace* Learning::place(std::uint64_t key) {
  key = not_zero(key);
  for (std::uint32_t tries = 0; tries < 64; ++tries) {
    ProfiledPlace& p = places_[(mix(key, 0) + tries) % kProfiledPlaces];
    std::uint64_t found = p.key.load(kRelaxed);
    if (found == key || (found == 0 && (p.key.compare_exchange_strong(found, key) || found == key)))
      return &p;
  }
  return nullptr;
}

}  // namespace heddle
