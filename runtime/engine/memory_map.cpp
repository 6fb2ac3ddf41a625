// What lies at an address of the program, for reports: a heap block, a stack and the frame in it,
// thread-local storage, or static storage.
#include <link.h>

#include "core/base/random.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using sched::Thread;

namespace {

using address_map::kMainStackEnd;

std::uint64_t fs_base_of(const Thread& t) { return t.id == kMainThread ? t.fiber.fs_base : t.ghost.fs_base; }

bool is_on_stack_of(const Thread& t, Address address) {
  if (t.id == kMainThread) return address >= address_map::kMainStack && address < kMainStackEnd;
  return address >= t.stack_low && address < t.stack_top;
}

struct TlsSearch {
  Address address;           // looked for
  std::uint64_t own_thread;  // thread pointers of the caller and of the thread whose storage is searched
  std::uint64_t its_thread;
  Address module = 0;
  std::uint64_t offset = 0;
  bool found = false;
};

// Static TLS blocks lie at the same distance from every thread's pointer.
int find_tls_block(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<TlsSearch*>(argument);
  if (info->dlpi_tls_data == nullptr) return 0;
  const std::uint64_t block =
      reinterpret_cast<Address>(info->dlpi_tls_data) - search.own_thread + search.its_thread;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS || search.address - block >= header.p_memsz) continue;
    search.module = info->dlpi_addr;
    search.offset = search.address - block;
    search.found = true;
    return 1;
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

// The frame that held this address, as note_own_variable() was told while the thread ran.
const StackPlace* noted_frame(const ChannelHeader& h, const Thread& t, Address address) {
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

}  // namespace

// The frame that holds `address` is the innermost one that reaches above it.
Execution::FrameFound Execution::find_frame(const Thread& t, Address address, std::uint64_t innermost_pc) {
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

void Execution::describe_frame(FindingPart& part, const Thread& t, Address address) {
  const FrameFound frame = find_frame(t, address, innermost_place(t));
  if (frame.depth == 0) return;
  part.pc = frame.pc;
  part.stack = stack_below(t, frame.depth);
  part.block = frame.canonical;
  part.block_size = frame.below;
}

void Execution::set_address(Event& event, Address address) {
  event.address = address;
  if (heap::Heap::contains(address)) return;
  for (std::uint32_t i = 0; i < scheduler_.thread_count(); ++i) {
    const Thread& t = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(i)});
    if (t.state == sched::ThreadState::kUnused || !is_on_stack_of(t, address)) continue;
    const bool is_own = t.id == event.thread && caller_at(event.pc) == Caller::kInstrumented;
    const FrameFound frame = find_frame(t, address, is_own ? event.pc : innermost_place(t));
    if (frame.depth != 0 && frame.pc != 0)
      note_stack_place({address, frame.pc, frame.canonical, static_cast<std::uint32_t>(frame.below), t.id});
    return;
  }
}

void Execution::note_stack_place(const StackPlace& place) {
  ChannelHeader& h = *channel_.header();
  // Most accesses are to what was accessed a moment ago.
  std::uint16_t& latest = latest_stack_places_[mix(place.address, place.pc) % kStackPlaceMemo];
  if (latest != 0 && h.stack_places[latest - 1] == place) return;
  if (h.stack_place_count == kMaxStackPlaces) return;
  h.stack_places[h.stack_place_count++] = place;
  latest = static_cast<std::uint16_t>(h.stack_place_count);
}

// The frame of a variable on the running thread's own stack, for who accesses it when the thread has ended.
// Not of main, whose stack stays; and half of the room is for variables of events.
void Execution::note_own_variable(Address address, std::uint64_t pc) {
  const Thread& t = self();
  if (address - t.stack_low >= t.stack_top - t.stack_low) return;
  if (channel_.header()->stack_place_count >= kMaxStackPlaces / 2) return;
  const bool is_own = caller_at(pc) == Caller::kInstrumented;
  const FrameFound frame = find_frame(t, address, is_own ? pc : innermost_place(t));
  if (frame.depth != 0 && frame.pc != 0)
    note_stack_place({address, frame.pc, frame.canonical, static_cast<std::uint32_t>(frame.below), t.id});
}

bool Execution::describe_thread_memory(FindingPart& part, const Thread& t, Address address) {
  if (is_on_stack_of(t, address)) {
    part.memory = MemoryKind::kStack;
    part.pc = 0;
    part.stack = kEmptyStack;
    if (t.state != sched::ThreadState::kFinished) {
      describe_frame(part, t, address);
    } else if (const StackPlace* place = noted_frame(*channel_.header(), t, address)) {
      part.pc = place->pc;
      part.block = place->canonical;
      part.block_size = place->below;
    }
    return true;
  }
  TlsSearch search{address, fs_base_of(self()), fs_base_of(t)};
  {
    RuntimeScope scope;
    dl_iterate_phdr(find_tls_block, &search);
  }
  if (!search.found) return false;
  part.memory = MemoryKind::kThreadLocal;
  part.pc = 0;
  part.stack = kEmptyStack;
  part.block = search.module;
  part.block_size = search.offset;
  return true;
}

void Execution::describe_heap(FindingBuilder& finding, const heap::Block& block, Address address) {
  const auto cite = [&](PartRole role, ThreadId by, std::uint64_t pc, StackId stack) {
    FindingPart& part = finding.part(role, scheduler_.thread(by), pc);
    part.stack = stack;
    part.address = address;
    part.memory = MemoryKind::kHeap;
    part.block = block.begin();
    part.block_size = block.size;
  };
  cite(PartRole::kAllocated, block.allocated_by, block.allocated_pc, block.allocated_stack);
  if (block.state == heap::BlockState::kFreed || (block.was_cut && address >= block.end()))
    cite(PartRole::kFreed, block.freed_by, block.freed_pc, block.freed_stack);
}

void Execution::describe_memory(FindingBuilder& finding, Address address) {
  Finding& f = finding.finding();
  MemoryKind kind = MemoryKind::kGlobal;
  if (const heap::Block* block =
          heap::Heap::contains(address) ? program_heap().block_containing(address) : nullptr) {
    kind = MemoryKind::kHeap;
    describe_heap(finding, *block, address);
  } else {
    FindingPart& part = finding.part(PartRole::kLocation, self(), 0);
    part.address = address;
    part.memory = kind;
    part.thread = kNoThread;
    part.stack = kEmptyStack;
    for (std::uint32_t i = 0; i < scheduler_.thread_count(); ++i) {
      const Thread& t = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(i)});
      if (t.state == sched::ThreadState::kUnused || !describe_thread_memory(part, t, address)) continue;
      part.thread = t.id;
      kind = part.memory;
      break;
    }
  }
  for (std::uint32_t i = 0; i < f.part_count; ++i) {
    const PartRole role = f.parts[i].role;
    if (role == PartRole::kAccess || role == PartRole::kPreviousAccess || role == PartRole::kHere)
      f.parts[i].memory = kind;
  }
}

}  // namespace heddle::engine
