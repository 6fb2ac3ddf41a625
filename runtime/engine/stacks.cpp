#include "runtime/engine/stacks.h"

#include "core/base/pages.h"
#include "core/base/random.h"
#include "core/trace/event.h"
#include "runtime/engine/call_stack.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/hooks.h"
#include "runtime/heap/heap.h"

namespace heddle::engine {

using address_map::kMainStackEnd;
using sched::Thread;

namespace {

// Where the thread's innermost instrumented function has called the library that it is in now: the return
// address. The function called __tsan_func_entry with the stack pointer that it has had ever since, so that
// this lies where that call's return address lay, or a little below where arguments were passed on the stack.
std::uint64_t call_site(const Thread& thread) {
  constexpr std::uint32_t kMostArguments = 16;
  if (thread.depth == 0 || thread.depth > sched::kMaxCallDepth) return 0;
  const auto* slot =
      reinterpret_cast<const std::uint64_t*>(thread.frames[thread.depth - 1].stack_pointer + 8);
  for (std::uint32_t i = 0; i < kMostArguments; ++i) {
    if (is_instrumented(slot[-static_cast<int>(i)])) return slot[-static_cast<int>(i)];
  }
  return 0;
}

// The canonical frame address of the function that announced itself with `frame`: its return address lies
// just below it, and nothing of the function's own is above that.
Address canonical_address(const sched::CallFrame& frame, Address limit) {
  constexpr Address kLargestFrame = 1u << 20;
  if (limit - frame.stack_pointer > kLargestFrame) limit = frame.stack_pointer + kLargestFrame;
  for (Address at = frame.stack_pointer + 16; at + 8 <= limit; at += 8) {
    if (*reinterpret_cast<const std::uint64_t*>(at) == frame.pc) return at + 8;
  }
  return 0;
}

}  // namespace

StackId Stacks::of(const Thread& thread) {
  if (!events_.is_on()) return shadow_of(thread);
  if (symbolic_) {
    const StackId shadow = shadow_of(thread);
    const bool in_library = thread.last_pc != 0 && caller_at(thread.last_pc) != Caller::kInstrumented;
    const std::uint64_t site = in_library ? call_site(thread) : 0;
    return site != 0 ? channel_.stacks()->push(shadow, site) : shadow;
  }
  if (&thread != &scheduler_.self() || moved_)
    return thread.pending_stack != kEmptyStack ? thread.pending_stack : shadow_of(thread);
  if (crashed_ || unwound_ == kMostUnwound) return shadow_of(thread);
  ++unwound_;
  RuntimeScope scope;  // the unwinder takes a mutex
  const StackId unwound = unwound_callers(*channel_.stacks());
  return unwound != kEmptyStack ? unwound : shadow_of(thread);
}

StackId Stacks::below(const Thread& thread, std::uint32_t depth) {
  // Deep recursion: the outermost and the innermost frames tell the story.
  constexpr std::uint32_t kMost = 64;
  StackDepot& depot = *channel_.stacks();
  StackId id = kEmptyStack;
  for (std::uint32_t i = 0; i < depth; ++i) {
    if (depth > kMost && i == kMost / 2) i = depth - kMost / 2;
    id = depot.push(id, thread.frames[i].pc);
  }
  return id;
}

StackId Stacks::shadow_of(const Thread& thread) {
  return below(thread, thread.depth < sched::kMaxCallDepth ? thread.depth : sched::kMaxCallDepth);
}

StackId Stacks::of_event(EventKind kind, std::uint64_t pc) {
  const Thread& t = scheduler_.self();
  if (kind <= EventKind::kVolatileWrite) return shadow_of(t);
  return t.pending.pc == pc && t.pending_stack != kEmptyStack ? t.pending_stack : of(t);
}

StackId Stacks::of_access(std::uint64_t pc) {
  const Thread& t = scheduler_.self();
  const StackId id = shadow_of(t);
  if (caller_at(pc) == Caller::kInstrumented) return inside_function(id);
  const std::uint64_t site = call_site(t);
  return inside_function(site != 0 ? channel_.stacks()->push(id, site) : id);
}

StackId Stacks::inside_function(StackId stack) {
  return function_ != 0 && events_.is_on() ? channel_.stacks()->push(stack, function_ | kCalledFunction)
                                           : stack;
}

std::uint64_t Stacks::innermost_place(const Thread& thread) {
  if (thread.last_pc != 0 && caller_at(thread.last_pc) == Caller::kInstrumented) return thread.last_pc;
  return call_site(thread);
}

bool Stacks::holds(const Thread& t, Address address) {
  if (t.id == kMainThread) return address >= address_map::kMainStack && address < kMainStackEnd;
  return address >= t.stack_low && address < t.stack_top;
}

// The frame that holds `address` is the innermost one that reaches above it.
Stacks::Frame Stacks::find_frame(const Thread& t, Address address, std::uint64_t innermost_pc) {
  const Address end = t.id == kMainThread ? kMainStackEnd : t.stack_top + 512;
  const std::uint32_t depth = t.depth < sched::kMaxCallDepth ? t.depth : sched::kMaxCallDepth;
  for (std::uint32_t i = depth; i-- > 0;) {
    const Address limit = i > 0 ? t.frames[i - 1].stack_pointer + 16 : end;
    if (limit <= address) continue;
    const Address canonical = canonical_address(t.frames[i], limit);
    if (canonical <= address) continue;
    return {i + 1 < depth ? t.frames[i + 1].pc : innermost_pc, canonical,
            canonical - (t.frames[i].stack_pointer + 16), i + 1};
  }
  return {};
}

const StackPlace* Stacks::noted_frame(const Thread& t, Address address) const {
  const ChannelHeader& h = *channel_.header();
  const StackPlace* found = nullptr;
  for (std::uint32_t i = h.stack_place_count; i-- > 0;) {
    const StackPlace& place = h.stack_places[i];
    if (place.thread != t.id) continue;
    if (place.address == address) return &place;
    if (found == nullptr && address < place.canonical && address >= place.canonical - place.below)
      found = &place;
  }
  return found;
}

void Stacks::note_variable(const Event& event, Address address) {
  if (heap::Heap::contains(address)) return;
  for (std::uint32_t i = 0; i < scheduler_.thread_count(); ++i) {
    const Thread& t = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(i)});
    if (t.state == sched::ThreadState::kUnused || !holds(t, address)) continue;
    const bool is_own = t.id == event.thread && caller_at(event.pc) == Caller::kInstrumented;
    return note_place(t, address, is_own ? event.pc : innermost_place(t));
  }
}

void Stacks::note_own_variable(Address address, std::uint64_t pc) {
  const Thread& t = scheduler_.self();
  if (address - t.stack_low >= t.stack_top - t.stack_low) return;
  if (channel_.header()->stack_place_count >= kMaxStackPlaces / 2) return;
  note_place(t, address, caller_at(pc) == Caller::kInstrumented ? pc : innermost_place(t));
}

void Stacks::note_place(const Thread& t, Address address, std::uint64_t innermost_pc) {
  const Frame frame = find_frame(t, address, innermost_pc);
  if (frame.depth == 0 || frame.pc == 0) return;
  const StackPlace place{address, frame.pc, frame.canonical, static_cast<std::uint32_t>(frame.below), t.id};
  ChannelHeader& h = *channel_.header();
  // Most accesses are to what was accessed a moment ago.
  std::uint16_t& latest = latest_places_[mix(place.address, place.pc) % kMemo];
  if (latest != 0 && h.stack_places[latest - 1] == place) return;
  if (h.stack_place_count == kMaxStackPlaces) return;
  h.stack_places[h.stack_place_count++] = place;
  latest = static_cast<std::uint16_t>(h.stack_place_count);
}

}  // namespace heddle::engine
