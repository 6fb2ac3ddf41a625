// Memory accesses of the program: which store is read, what synchronises with what, and which accesses race.
#include <initializer_list>
#include <new>

#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

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

void Execution::start_detector() {
  edges_.start();
  // Where the address space cannot be had, everything but races is still found.
  detecting_ = race_.start(events_.is_on() ? race::Mode::kPrecise : race::Mode::kFast);
  if (!detecting_) channel_.header()->current.flags |= result_flags::kNoRaceDetection;
  if (detecting_) enter_epoch();
  skips_known_ = detecting_ && spec().plain_events == PlainEvents::kNone && !rules_.locks_plain_accesses();
}

std::uint32_t Execution::choose_store(std::span<const Candidate> candidates) {
  if (candidates.size() == 1) return 0;
  return choose_store_of(candidates, nullptr, static_cast<std::uint32_t>(candidates.size()),
                         newest_of(candidates), 0);
}

// hash 0: over the keys of the alternatives.
std::uint32_t Execution::choose_store_of(std::span<const Candidate> candidates, const std::uint32_t* indices,
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

Candidate Execution::choose_store_among(std::uint32_t count) {
  if (uniform_ != nullptr && !fairness_.is_fair()) return draw_store(count);
  const std::uint32_t hash = store_alternatives_hash(memory_.candidates_digest());
  const auto candidates = memory_.candidates();
  return candidates[choose_store_of(candidates, nullptr, count, newest_of(candidates), hash != 0 ? hash : 1)];
}

const memory::Store& Execution::draw_update(const memory::Found& found, MemoryOrder order) {
  return memory_.begin_drawn_update(scheduler_.current(), found, order,
                                    [this](const auto&... candidates) { return draw_among(candidates...); });
}

// Success and spurious failure of a weak exchange read the same store: first the store is chosen, then which
// of the two.
std::uint32_t Execution::choose_cas_store(std::span<const Candidate> candidates) {
  std::uint32_t indices[kMostCandidates];
  std::uint32_t count = 0;
  std::uint32_t fallback = 0;
  for (std::uint32_t i = 0; i < candidates.size() && count < kMostCandidates; ++i) {
    const Candidate& c = candidates[i];
    if (c.outcome == ReadOutcome::kCasSpurious) {
      // A store whose update has been read already can only be failed on.
      bool offered = false;
      for (std::uint32_t k = 0; k < count; ++k) offered = offered || candidates[indices[k]].store == c.store;
      for (std::uint32_t k = i + 1; k < candidates.size() && !offered; ++k) {
        offered = candidates[k].store == c.store && candidates[k].outcome == ReadOutcome::kCasSuccess;
      }
      if (offered) continue;
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

void Execution::plain_range(race::AccessOp op, Address address, std::uint64_t bytes, std::uint64_t pc,
                            std::uint64_t function) {
  if (bytes == 0) return;
  stacks_.set_function(function);
  before_access();
  if (!skips_known_) note_plain_access(op, address, bytes, pc);
  if (fairness_.is_fair() && op == race::AccessOp::kWrite) note_plain_write(address, bytes);
  if (detecting_) {
    if (const race::Race* race = race_.on_range(op, address, bytes, pc, access_stack(pc))) report_race(*race);
  }
  check_not_freed(address, bytes, pc);
  check_not_freed(address + bytes - 1, 1, pc);
  if (memory_.location_count() != 0) plain_over_atomics(op, address, bytes);
  if (rules_.is_under_plain_lock()) rules_.unlock_plain_access();
  stacks_.set_function(0);
}

void Execution::plain_over_atomics(race::AccessOp op, Address address, std::uint64_t bytes) {
  const ThreadId t = scheduler_.current();
  op == race::AccessOp::kWrite ? memory_.plain_write(t, address, bytes)
                               : memory_.plain_read(t, address, bytes);
}

void Execution::check_initialised_slowly(const memory::Place& place, std::uint64_t pc) {
  if (!detecting_ || race_.is_written(place.address, place.size)) return;
  if (memory_.has_location(place.address, place.size)) return;
  self().last_pc = pc;
  {
    FindingBuilder finding(scene_, FindingKind::kUninitialisedAtomic,
                           "read of an atomic in heap memory that nothing was written to");
    FindingPart& here = finding.part(PartRole::kHere, self(), pc);
    here.address = place.address;
    here.size = place.size;
    finding.describe_memory(place.address);
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

void Execution::settle() {
  before_access();
  note_trusted_libraries();
  if (begun_) strategy_->end(channel_.header()->current);
  if (memory_.pruned()) channel_.header()->current.flags |= result_flags::kPruned;
  if (!events_.is_on()) return;
  events_.turn(false);
  note_pace();
  Event* events = channel_.events();
  const std::uint32_t count = events_.count();
  for (const memory::MoPosition& p : memory_.modification_order_positions()) {
    if (index_of(p.event) < count) events[index_of(p.event)].mo_position = p.position;
  }
}

}  // namespace heddle::engine
