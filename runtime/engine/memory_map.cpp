// What lies at an address of the program, for reports: a heap block, a stack and the frame in it,
// thread-local storage, or static storage.
#include <link.h>

#include "runtime/engine/finding_builder.h"
#include "runtime/engine/hooks.h"
#include "runtime/engine/program_heap.h"

namespace heddle::engine {

using sched::Thread;

namespace {

std::uint64_t fs_base_of(const Thread& t) { return t.id == kMainThread ? t.fiber.fs_base : t.ghost.fs_base; }

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

void describe_frame(const Scene& scene, FindingPart& part, const Thread& t, Address address) {
  const Stacks::Frame frame = Stacks::find_frame(t, address, scene.stacks.innermost_place(t));
  if (frame.depth == 0) return;
  part.pc = frame.pc;
  part.stack = scene.stacks.below(t, frame.depth);
  part.block = frame.canonical;
  part.block_size = frame.below;
}

bool describe_thread_memory(const Scene& scene, FindingPart& part, const Thread& t, Address address) {
  if (Stacks::holds(t, address)) {
    part.memory = MemoryKind::kStack;
    part.pc = 0;
    part.stack = kEmptyStack;
    if (t.state != sched::ThreadState::kFinished) {
      describe_frame(scene, part, t, address);
    } else if (const StackPlace* place = scene.stacks.noted_frame(t, address)) {
      part.pc = place->pc;
      part.block = place->canonical;
      part.block_size = place->below;
    }
    return true;
  }
  TlsSearch search{address, fs_base_of(scene.running()), fs_base_of(t)};
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

void describe_heap(FindingBuilder& finding, const heap::Block& block, Address address) {
  const auto cite = [&](PartRole role, ThreadId by, std::uint64_t pc, StackId stack) {
    FindingPart& part = finding.part(role, finding.scene().thread(by), pc);
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

}  // namespace

void FindingBuilder::describe_memory(Address address) {
  Finding& f = *finding_;
  MemoryKind kind = MemoryKind::kGlobal;
  if (const heap::Block* block =
          heap::Heap::contains(address) ? program_heap().block_containing(address) : nullptr) {
    kind = MemoryKind::kHeap;
    describe_heap(*this, *block, address);
  } else {
    FindingPart& p = part(PartRole::kLocation, scene_.running(), 0);
    p.address = address;
    p.memory = kind;
    p.thread = kNoThread;
    p.stack = kEmptyStack;
    for (std::uint32_t i = 0; i < scene_.scheduler.thread_count(); ++i) {
      const Thread& t = scene_.thread(ThreadId{static_cast<std::uint16_t>(i)});
      if (t.state == sched::ThreadState::kUnused || !describe_thread_memory(scene_, p, t, address)) continue;
      p.thread = t.id;
      kind = p.memory;
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
