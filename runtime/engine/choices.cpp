#include "runtime/engine/choices.h"

#include <initializer_list>
#include <new>

#include "core/base/check.h"

namespace heddle::engine {

using memory::Candidate;
using memory::ReadOutcome;

namespace {

std::uint32_t newest_of(std::span<const Candidate> candidates) {
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].newest && candidates[i].outcome != ReadOutcome::kCasSpurious) return i;
  }
  return 0;
}

}  // namespace

void Choices::start(Channel channel, strategy::Strategy* strategy, const Limits& limits) {
  header_ = channel.header();
  log_.start(channel);
  strategy_ = strategy;
  bursts_ = limits.bursts;
  spurious_left_ = limits.spurious;
  timeouts_left_ = limits.timeouts;
}

void Choices::begin(std::uint64_t seed, std::uint64_t index, const strategy::View& view) {
  begun_ = true;
  strategy_->begin(seed, index, view);
  uniform_ = strategy_->uniform();
  observer_ = strategy_->observer();
  may_break_off_ = strategy_->may_break_off();
}

std::uint32_t Choices::hash_alternatives(const strategy::ChoicePoint& point) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(point.kind), index_of(point.thread));
  for (std::uint32_t i = 0; i < point.count; ++i) h = mix(h, point.key(i).bits);
  return static_cast<std::uint32_t>(h);
}

std::uint32_t Choices::choose(ChoiceKind kind, std::uint32_t count, std::uint32_t fallback,
                              const ChoiceKey* keys) {
  if (count < 2) return 0;
  if (fairness_.is_fair()) return fallback;
  strategy::ChoicePoint point;
  point.kind = kind;
  point.thread = scheduler_.current();
  point.count = count;
  point.keys = keys;
  point.fallback = fallback;
  point.alternatives_hash = hash_alternatives(point);
  return pick(point);
}

std::uint32_t Choices::pick(strategy::ChoicePoint& point) {
  begin_if_not();
  point.step = header_->current.steps;
  const std::uint32_t picked = strategy_->choose(point);
  HEDDLE_CHECK(picked < point.count);
  if (may_break_off_ && strategy_->diverged()) host_.break_off(Ending::kDiverged);
  check_abandoned();
  log_.add([&] { return Choice::make(point.kind, point.alternatives_hash, point.key(picked)); });
  return picked;
}

bool Choices::spurious_failure() {
  if (spurious_left_ == 0 || fairness_.is_fair()) return false;
  if (choose(ChoiceKind::kSpurious, 2, 0) == 0) return false;
  --spurious_left_;
  return true;
}

// A short timed wait may be over before another thread has done anything: a thread can be kept from running
// for that long. Long ones guard tests against hanging; they expire only when nothing else can run or when
// the program's own clock has come to that time.
bool Choices::expires_early(std::uint64_t deadline) {
  constexpr std::uint64_t kShort = 100'000'000;
  if (deadline == sched::kNoDeadline || timeouts_left_ == 0 || fairness_.is_fair()) return false;
  // What has passed already is no choice.
  if (deadline <= scheduler_.now() || deadline > scheduler_.now() + kShort ||
      choose(ChoiceKind::kTimeout, 2, 0) == 0)
    return false;
  --timeouts_left_;
  return true;
}

// hash 0: over the keys of the alternatives.
std::uint32_t Choices::choose_store_of(std::span<const Candidate> candidates, const std::uint32_t* indices,
                                       std::uint32_t count, std::uint32_t fallback, std::uint32_t hash) {
  if (fairness_.is_fair()) return fallback;
  offered_ = {candidates.data(), indices, count < kMostCandidates ? count : kMostCandidates};
  // An array of keys would be set to zero as a whole each time: there is room for many, and they are few.
  alignas(ChoiceKey) unsigned char room[kMostCandidates * sizeof(ChoiceKey)];
  auto* keys = reinterpret_cast<ChoiceKey*>(room);
  for (std::uint32_t i = 0; i < offered_.count; ++i)
    new (&keys[i]) ChoiceKey(ChoiceKey::store(offered(i).writer, offered(i).ordinal));
  strategy::ChoicePoint point;
  point.kind = ChoiceKind::kReadsFrom;
  point.thread = scheduler_.current();
  point.count = offered_.count;
  point.keys = keys;
  point.fallback = fallback;
  point.location = memory_.last_location();
  point.alternatives_hash = hash != 0 ? hash : hash_alternatives(point);
  return pick(point);
}

memory::Sequence Choices::choose_store_slowly(const memory::Reading& reading) {
  if (uniform_ != nullptr && !fairness_.is_fair()) return draw_store<false>(memory_, reading);
  const std::uint32_t hash = store_hash(memory_.digest(reading), reading.thread);
  const auto candidates = memory_.candidates(reading);
  return candidates[choose_store_of(candidates, nullptr, reading.count, newest_of(candidates),
                                    hash != 0 ? hash : 1)]
      .store;
}

std::uint32_t Choices::choose_cas_store(std::span<const Candidate> candidates) {
  std::uint32_t indices[kMostCandidates];
  std::uint32_t count = 0;
  std::uint32_t fallback = 0;
  for (std::uint32_t i = 0; i < candidates.size() && count < kMostCandidates; ++i) {
    const Candidate& c = candidates[i];
    if (c.outcome == ReadOutcome::kCasSpurious) {
      // A store whose update has been read already can only be failed on.
      bool is_offered = false;
      for (std::uint32_t k = 0; k < count; ++k)
        is_offered = is_offered || candidates[indices[k]].store == c.store;
      for (std::uint32_t k = i + 1; k < candidates.size() && !is_offered; ++k) {
        is_offered = candidates[k].store == c.store && candidates[k].outcome == ReadOutcome::kCasSuccess;
      }
      if (is_offered) continue;
    }
    if (c.newest) fallback = count;
    indices[count++] = i;
  }
  const std::uint32_t picked =
      indices[count == 1 ? 0 : choose_store_of(candidates, indices, count, fallback, 0)];
  if (candidates[picked].outcome == ReadOutcome::kCasSpurious) --spurious_left_;
  if (candidates[picked].outcome != ReadOutcome::kCasSuccess) return picked;
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].store == candidates[picked].store &&
        candidates[i].outcome == ReadOutcome::kCasSpurious) {
      return spurious_failure() ? i : picked;
    }
  }
  return picked;
}

std::uint32_t Choices::draw_or_ask(ChoiceKind kind, const ChoiceKey* keys, std::uint32_t count) {
  strategy::ChoicePoint point;
  point.kind = kind;
  point.thread = scheduler_.current();
  point.count = count;
  point.keys = keys;
  point.alternatives_hash = hash_alternatives(point);
  if (uniform_ == nullptr) return pick(point);
  const std::uint32_t picked = uniform_->below(count);
  log_.add([&] { return Choice::make(point.kind, point.alternatives_hash, point.key(picked)); });
  return picked;
}

// In two steps, so that every strategy that draws evenly draws the first alternative as often as all others: first
// whether it is that one, then which of the others.
void Choices::choose_overtaking(std::uint32_t count) {
  if (count < 2) return;
  if (fairness_.is_fair()) return;  // the model has taken the place nearest to the end
  constexpr ChoiceKey kAnother = ChoiceKey::number(1u << 20);
  ChoiceKey keys[memory::SpotList::kMost];
  const std::uint32_t first = memory_.moves_on(scheduler_.current()) ? count - 1 : 0;
  keys[0] = ChoiceKey::number(memory_.overtaken(first));
  keys[1] = count == 2 ? ChoiceKey::number(memory_.overtaken(1 - first)) : kAnother;
  std::uint32_t picked = first;
  if (draw_or_ask(ChoiceKind::kOvertakes, keys, 2) != 0) {
    picked = first == 0 ? 1 : 0;
    if (count > 2) {
      for (std::uint32_t i = 0; i + 1 < count; ++i)
        keys[i] = ChoiceKey::number(memory_.overtaken(picked + i));
      picked += draw_or_ask(ChoiceKind::kOvertakes, keys, count - 1);
    }
  }
  memory_.choose_spot(picked);
}

// Takes away one alternative after the other that no other one follows, the last executed first: the end of a
// total order that the modification order allows.
std::uint32_t Choices::latest_stores(std::uint32_t* alternatives, std::uint32_t most) const {
  std::uint64_t taken[kMostCandidates / 64] = {};
  HEDDLE_CHECK(offered_.count <= kMostCandidates);
  std::uint32_t found = 0;
  const auto is_taken = [&](std::uint32_t i) { return (taken[i / 64] >> (i % 64)) & 1; };
  for (; found < most && found < offered_.count; ++found) {
    for (std::uint32_t i = 0; i < offered_.count; ++i) {
      if (is_taken(i)) continue;
      bool is_followed = false;
      for (std::uint32_t k = 0; k < offered_.count && !is_followed; ++k)
        is_followed = !is_taken(k) && memory_.is_before(offered(i), offered(k));
      if (is_followed) continue;
      taken[i / 64] |= 1ull << (i % 64);
      alternatives[found] = i;
      break;
    }
  }
  return found;
}

std::uint32_t Choices::nearest_store(ChoiceKey store) const {
  // Whatever may be read and is not after it comes after what is known of it all the same: of the stores
  // that nothing orders, the one executed first.
  std::uint32_t nearest = offered_.count;
  for (const bool only_later : {true, false}) {
    for (std::uint32_t i = offered_.count; i-- > 0;) {
      if (only_later && !memory_.is_before(store, offered(i))) continue;
      if (nearest == offered_.count || memory_.is_before(offered(i), offered(nearest))) nearest = i;
    }
    if (nearest != offered_.count) break;
  }
  return nearest;
}

}  // namespace heddle::engine
