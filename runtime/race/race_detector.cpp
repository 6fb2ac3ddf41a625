#include "runtime/race/race_detector.h"

#include "runtime/race/walk.h"

namespace heddle::race {
bool RaceDetector::start(Mode mode) {
  mode_ = mode;
  if (!shadow_.map()) return false;
  forget_steps();
  if (untouched_.map() && (mode == Mode::kFast ? fast_.map() : precise_.map())) return true;
  stop();
  return false;
}

void RaceDetector::stop() {
  shadow_.unmap();
  untouched_.unmap();
  fast_.unmap();
  precise_.unmap();
  clock_ = {};
  forget_steps();
}

std::uint32_t RaceDetector::wrap_stamps() {
  for (auto& row : memo_)
    for (Memo& memo : row) memo = {};
  for (std::uint64_t& still : still_) still = 0;
  for (Allocated& known : allocated_) known = {};
  for (Resumable& known : resumable_) known = {0, nullptr, 0, 0, 0, known.begin};
  oldest_stamp_ = 1;
  return last_stamp_ = 1;
}

// Old stamps are below the new one and match nothing any more; threads get new ones when they are entered.
void RaceDetector::forget_steps() {
  oldest_stamp_ = new_stamp();
  ++era_;
  use_stamp(oldest_stamp_);
  if (clock_.times != nullptr) note_resumable(thread_of(epoch_));
}

// A scalar access within one word in fast mode, by far the most frequent of those that the memo does not
// know.
const Race* RaceDetector::word_unknown(StateId* cell, std::uint32_t row, const Access& access) {
  if (fast_.wants_collection()) collect();
  if (*cell == kVirgin) register_chunk(fast_, Shadow::chunk_of(cell));
  const std::uint64_t offset = access.address & 7;
  const FastRecord record = {epoch_ | access.shape | bytes_between(offset, offset + access.size)};
  if (const StateId next = advance_simply(fast_, *cell, record, clock_); next != kVirgin) {
    if (!is_owned(*cell | next)) memo_of(row, *cell) = {stamp_ | *cell, next, 0};
    memo_of(row, next) = {stamp_ | next, next, 0};
    *cell = next;
    return nullptr;
  }
  const Step<FastRecord> step = take_step(fast_, *cell, record, row);
  *cell = step.to;
  if (__builtin_expect(step.racing_bytes == 0, 1)) return nullptr;
  const Address word = access.address & ~Address{7};
  return tell(access, describe(step.previous, word), step.racing_bytes, word);
}

const Race* RaceDetector::access_unknown(const Access& access) {
  Access folded = access;
  folded.address &= Shadow::kAddressMask;
  if (mode_ == Mode::kFast) return Walk(*this, fast_, folded).scalar();
  return Walk(*this, precise_, folded).scalar();
}

const Race* RaceDetector::tell(const Access& access, const RaceAccess& previous, std::uint8_t racing_bytes,
                               Address word) {
  race_.address = word + static_cast<Address>(__builtin_ctz(racing_bytes));
  race_.previous = previous;
  race_.current = describe(FastRecord{epoch_ | access.shape | 1}, access.address);
  race_.current.size = access.size;
  race_.current.pc = access.pc;
  race_.current.stack = access.stack;
  race_.current.event = event_;
  return &race_;
}

const Race* RaceDetector::range_slow(const Access& access, std::uint64_t marked) {
  if (mode_ == Mode::kFast) return Walk(*this, fast_, access).range(marked);
  return Walk(*this, precise_, access).range(marked);
}

// Whether a plain range consists of whole words that are all in a state that it does not change.
inline bool RaceDetector::is_still(AccessOp op, Address begin, std::uint64_t size) const {
  constexpr std::uint64_t kShort = 256;  // longer ones are stepped in runs
  if (op > AccessOp::kWrite || ((begin | size) & 7) != 0 || size > kShort) return false;
  const std::uint64_t key = still_of(op, 8, 0);
  if ((key ^ stamp_) >> 32 != 0) return false;
  const auto still = static_cast<StateId>(key);
  const StateId* cell = Shadow::cell_of(begin);
  const StateId* const stop = cell + size / 8;
  StateId difference = 0;
  for (; stop - cell >= 2; cell += 2) difference |= (cell[0] ^ still) | (cell[1] ^ still);
  if (cell != stop) difference |= *cell ^ still;
  return difference == 0;
}

const Race* RaceDetector::on_range(AccessOp op, Address begin, std::uint64_t size, std::uint64_t pc,
                                   StackId stack) {
  if (is_still(op, begin, size)) return nullptr;
  return range_unknown(op, begin, size, pc, stack);
}

[[gnu::noinline]] const Race* RaceDetector::range_unknown(AccessOp op, Address begin, std::uint64_t size,
                                                          std::uint64_t pc, StackId stack) {
  return range_slow({begin & Shadow::kAddressMask, clip(begin, size), pc, stack, op, shape_of(op)}, ~0ull);
}

void RaceDetector::collect() {
  if (mode_ == Mode::kFast) {
    fast_.collect(shadow_);
  } else {
    precise_.collect(shadow_);
  }
  forget_steps();
}

bool RaceDetector::is_written(Address address, std::uint32_t size) const {
  using namespace record_bits;
  const auto written = [](const auto& states, StateId id, std::uint64_t bytes) {
    for (const auto* record = states.records_of(id);; ++record) {
      if ((record->bits & kWrite) != 0 && (record->bits & kMask & bytes) != 0 && !is_allocation(record->bits))
        return true;
      if ((record->bits & kLast) != 0) return false;
    }
  };
  const Address end = address + size;
  for (Address word = address & ~Address{7}; word < end; word += 8) {
    const StateId id = *Shadow::cell_of(word);
    if (id < kFirstState) continue;
    const std::uint64_t bytes =
        bytes_between(word < address ? address - word : 0, end - word < 8 ? end - word : 8);
    if (mode_ == Mode::kFast ? written(fast_, id, bytes) : written(precise_, id, bytes)) return true;
  }
  return false;
}

void RaceDetector::reset() {
  shadow_.reset();
  untouched_.reset();
  if (mode_ == Mode::kFast) {
    fast_.clear();
  } else {
    precise_.clear();
  }
  clock_ = {};  // the next execution has its own
  forget_steps();
}

}  // namespace heddle::race
