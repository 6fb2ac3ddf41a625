// Storage that begins and ends: allocations, frees, ends of stacks, destroyed objects.
#include "runtime/race/walk.h"

namespace heddle::race {
namespace {

constexpr Address round_up(Address address, std::uint64_t unit) {
  return (address + unit - 1) & ~Address{unit - 1};
}
constexpr Address round_down(Address address, std::uint64_t unit) { return address & ~Address{unit - 1}; }

}  // namespace

void RaceDetector::collect_if_needed() {
  if (mode_ == Mode::kFast ? fast_.wants_collection() : precise_.wants_collection()) collect();
}

// Sets all cells of a range of whole words.
void RaceDetector::fill_all(Address begin, Address end, StateId state) {
  StateId* cell = Shadow::cell_of(begin);
  StateId* const stop = cell + (end - begin) / 8;
  while (cell < stop) {
    StateId* const chunk = Shadow::chunk_of(cell);
    StateId* const next = chunk + Shadow::kChunkCells < stop ? chunk + Shadow::kChunkCells : stop;
    if (*chunk == kVirgin) {
      if (cell == chunk && next == chunk + Shadow::kChunkCells) {
        shadow_.register_unfilled(chunk);
      } else {
        mode_ == Mode::kFast ? register_chunk(fast_, chunk) : register_chunk(precise_, chunk);
      }
    }
    Shadow::fill(cell, static_cast<std::size_t>(next - cell), state);
    cell = next;
  }
}

// Fills the cells of the range, but not those of virgin chunks.
void RaceDetector::fill_touched(Address begin, Address end, StateId state) {
  StateId* cell = Shadow::cell_of(begin);
  StateId* const stop = cell + (end - begin) / 8;
  while (cell < stop && (cell = shadow_.skip_virgin(cell, stop)) < stop) {
    StateId* const chunk_end = Shadow::chunk_of(cell) + Shadow::kChunkCells;
    StateId* const next = chunk_end < stop ? chunk_end : stop;
    Shadow::fill(cell, static_cast<std::size_t>(next - cell), state);
    cell = next;
  }
}

// Registers the virgin chunks that hold a part of the range and of which an allocation is known.
void RaceDetector::register_known(Address begin, Address end) {
  if (untouched_.empty()) return;
  for (Address at = round_down(begin, Shadow::kChunkBytes); at < end; at += Shadow::kChunkBytes) {
    if (untouched_.find(at) == nullptr) continue;
    StateId* const chunk = Shadow::cell_of(at);
    if (*chunk == kVirgin)
      mode_ == Mode::kFast ? register_chunk(fast_, chunk) : register_chunk(precise_, chunk);
  }
}

void RaceDetector::on_allocate(Address begin, std::uint64_t size, std::uint64_t pc, StackId stack) {
  if (size == 0) return;
  begin &= Shadow::kAddressMask;
  const Address end = round_up(begin + clip(begin, size), 8);
  collect_if_needed();
  const PreciseRecord allocation = {epoch_ | shape_of(Deed::kAllocation) | record_bits::kMask,
                                    {pc, stack, pack_size(size, kSomewhere), event_}};
  Allocated& known = allocated_[used_stamp() % kAllocatedStates];
  StateId state = known.state;
  if (known.stamp != stamp_ || mode_ == Mode::kPrecise) {
    state = mode_ == Mode::kFast ? allocated_state(fast_, allocation) : allocated_state(precise_, allocation);
    known = {stamp_ == ~std::uint64_t{0} ? 0 : stamp_, state};  // unsettled: of no epoch
  }
  // The first chunk is touched in any case: a free that is not ordered after this meets it there.
  const Address first = round_up(begin + Shadow::kChunkBytes, Untouched::kGranule);
  const Address last = round_down(end, Untouched::kGranule);
  if (first >= last) return fill_all(begin, end, state);
  fill_all(begin, first, state);
  fill_touched(first, last, state);
  untouched_.assign(first, last, &allocation);
  fill_all(last, end, state);
}

const Race* RaceDetector::on_end_of(Deed deed, Address begin, std::uint64_t size, std::uint64_t pc,
                                    StackId stack) {
  return range_slow(
      {begin & Shadow::kAddressMask, clip(begin, size), pc, stack, AccessOp::kWrite, shape_of(deed)},
      deed == Deed::kFree ? kFreeMarked : 0);
}

const Race* RaceDetector::on_use(Address object, std::uint64_t pc, StackId stack) {
  return range_slow(
      {object & Shadow::kAddressMask, 1, pc, stack, AccessOp::kAtomicRead, shape_of(Deed::kUse)}, ~0ull);
}

void RaceDetector::forget_bytes(Address word, std::uint64_t bytes) {
  collect_if_needed();
  StateId& cell = *Shadow::cell_of(word);
  cell = mode_ == Mode::kFast ? forget(fast_, cell, bytes) : forget(precise_, cell, bytes);
}

void RaceDetector::reset_range(Address begin, std::uint64_t size) {
  begin &= Shadow::kAddressMask;
  const Address end = begin + clip(begin, size);
  const Address first = round_up(begin, 8);
  const Address last = round_down(end, 8);
  const Address first_granule = round_up(begin, Untouched::kGranule);
  const Address last_granule = round_down(end, Untouched::kGranule);
  if (first_granule < last_granule) {
    register_known(begin, first_granule);
    untouched_.assign(first_granule, last_granule, nullptr);
    register_known(last_granule, end);
  } else {
    register_known(begin, end);
  }
  if (first > last) return forget_bytes(last, bytes_between(begin - last, end - last));
  if (begin < first) forget_bytes(first - 8, bytes_between(begin - (first - 8), 8));
  if (last < end) forget_bytes(last, bytes_between(0, end - last));
  fill_touched(first, last, kEmpty);
}

}  // namespace heddle::race
