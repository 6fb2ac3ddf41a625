#include "runtime/sched/ghost.h"

#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>

#include "core/base/check.h"
#include "core/base/limit.h"
#include "core/base/pages.h"
#include "core/base/raw_syscall.h"
#include "core/base/text_buffer.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/real_threads.h"
#include "runtime/sched/tid_word.h"

// Of <string.h>, whose other functions the runtime has as its own.
extern "C" const char* strerrorname_np(int error) noexcept;

namespace heddle::sched {
namespace {

struct Birth {
  std::uint64_t fs_base = 0;
  void* stack_top = nullptr;
  std::uint32_t tid = 0;
  int error = 0;           // why it cannot end
  TidWord tid_word;        // where it may be, as long as that is not known
  std::uint32_t told = 0;  // futex: kBorn: everything above is written; kStays: the thread cannot end
};
constexpr std::uint32_t kBorn = 1, kStays = 2;

// All that this file keeps.
struct Ghosts {
  // Where in libc's thread control block the kernel keeps the thread's id; 0: not known yet.
  std::uint32_t tid_offset = 0;
  std::uint64_t next_big_stack = address_map::kBigStacks;
};
Ghosts ghosts;

std::uint32_t* tid_word(std::uint64_t fs_base) {
  return reinterpret_cast<std::uint32_t*>(fs_base + ghosts.tid_offset);
}

// Runs for a few microseconds on the new kernel thread, then leaves its storage behind.
void* be_born(void* argument) {
  auto* birth = static_cast<Birth*>(argument);
  birth->fs_base = current_fs_base();
  birth->tid = static_cast<std::uint32_t>(raw_syscall(SYS_gettid));
  if (ghosts.tid_offset == 0)
    HEDDLE_CHECK(birth->tid_word.note(reinterpret_cast<const char*>(birth->fs_base), birth->tid));
  // Frames of start_thread above this one must survive: pthread_exit unwinds through none of them, but libc
  // keeps its cancellation buffer there.
  birth->stack_top = static_cast<char*>(__builtin_frame_address(0)) - 512;
  __atomic_store_n(&birth->told, kBorn, __ATOMIC_RELEASE);
  raw_syscall(SYS_futex, &birth->told, FUTEX_WAKE, 1, 0, 0, 0);
  const long error = raw_syscall(SYS_exit, 0);
  // The system denies exit. Whoever waits for the end of this thread is woken until it ends the process.
  const std::uint64_t fs_base = birth->fs_base;
  birth->error = static_cast<int>(-error);
  __atomic_store_n(&birth->told, kStays, __ATOMIC_RELEASE);
  for (;;) {
    if (ghosts.tid_offset != 0) raw_syscall(SYS_futex, tid_word(fs_base), FUTEX_WAKE, 1, 0, 0, 0);
    raw_syscall(SYS_sched_yield);
  }
}

void wait_until_told(const Birth& birth) {
  while (__atomic_load_n(&birth.told, __ATOMIC_ACQUIRE) == 0)
    raw_syscall(SYS_futex, &birth.told, FUTEX_WAIT, 0, 0, 0, 0);
}

bool stays(const Birth& birth) { return __atomic_load_n(&birth.told, __ATOMIC_ACQUIRE) == kStays; }

void wait_until_gone(const Birth& birth) {
  std::uint32_t* word = tid_word(birth.fs_base);
  while (!stays(birth)) {
    const std::uint32_t tid = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (tid == 0) return;
    raw_syscall(SYS_futex, word, FUTEX_WAIT, tid, 0, 0, 0);
  }
}

// Waits for the end of the first ghost of all, which shows where the word is that the kernel clears.
void find_tid_offset(const Birth& birth) {
  while (ghosts.tid_offset == 0 && !stays(birth)) {
    ghosts.tid_offset = birth.tid_word.cleared(reinterpret_cast<const char*>(birth.fs_base));
    if (ghosts.tid_offset == 0) raw_syscall(SYS_sched_yield);
  }
}

// Of all modules that are loaded now, in whole pages. Not for little: kControlBlock has room for that, and
// addresses of stacks should not depend on it.
std::size_t thread_local_bytes() {
  constexpr std::size_t kLittle = 64 * 1024;
  std::size_t bytes = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* sum) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          if (header.p_type == PT_TLS) *static_cast<std::size_t*>(sum) += header.p_memsz + header.p_align;
        }
        return 0;
      },
      &bytes);
  return bytes <= kLittle ? 0 : (bytes + kPageSize - 1) & ~(kPageSize - 1);
}

}  // namespace

std::uint32_t ghost_tid(std::uint32_t slot) { return 0x10000000u + slot; }

GhostResult make_ghost(std::uint32_t slot, std::size_t stack_bytes, Ghost& ghost) {
  const std::size_t wanted = (stack_bytes + kPageSize - 1) & ~(kPageSize - 1);
  // libc puts the control block and static TLS at the top of the stack it is given: room for both on top.
  constexpr std::size_t kControlBlock = 256 * 1024;
  const std::size_t bytes = wanted + kControlBlock + thread_local_bytes();
  std::uint64_t base = address_map::fiber_stack_end(slot) - bytes - kPageSize;
  ghost.in_big_region = bytes + kPageSize > address_map::kMostFiberStack;
  if (ghost.in_big_region) {
    base = ghosts.next_big_stack;
    ghosts.next_big_stack += bytes + 16 * kPageSize;
  }
  if (ghost.stack_low != base + kPageSize || ghost.stack_bytes != bytes) {
    if (ghost.stack_low != 0)
      unmap_memory(reinterpret_cast<void*>(ghost.stack_low - kPageSize), ghost.stack_bytes + kPageSize);
    if (const long got = map_memory(base, bytes + kPageSize); got != static_cast<long>(base))
      return {GhostRefusal::kStack, got < 0 ? static_cast<int>(-got) : ENOMEM};
    raw_syscall(SYS_mprotect, base, kPageSize, PROT_NONE);
    ghost.stack_low = base + kPageSize;
    ghost.stack_bytes = bytes;
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, reinterpret_cast<void*>(ghost.stack_low), bytes);
  Birth birth;
  pthread_t handle;
  const int error = real_pthread_create(&handle, &attributes, be_born, &birth);
  pthread_attr_destroy(&attributes);
  if (error != 0) return {GhostRefusal::kThread, error};
  // The kernel clears the id as the very last act of the thread; nothing of it runs after that.
  wait_until_told(birth);
  if (ghosts.tid_offset == 0) find_tid_offset(birth);
  if (!stays(birth)) wait_until_gone(birth);
  if (stays(birth)) return {GhostRefusal::kThreadsEnd, birth.error};
  *tid_word(handle) = ghost_tid(slot);
  ghost.fs_base = birth.fs_base;
  ghost.stack_top = birth.stack_top;
  return {};
}

void stop_without_ghost(const GhostResult& result) {
  const char* name = strerrorname_np(result.error);
  TextBuffer<256> what;
  switch (result.refusal) {
    case GhostRefusal::kStack:
      what << "address space for the stacks of threads (mmap: ";
      break;
    case GhostRefusal::kThread:
      what << "threads that the system lets heddle make (clone3 or clone: ";
      break;
    default:
      what << "threads that the system lets heddle end (exit: ";
  }
  what << (name != nullptr ? name : "?") << ")";
  const bool is_few = result.error == EAGAIN || result.error == ENOMEM;
  limit_reached(what.c_str(),
                is_few ? "Raise what there may be of processes, memory and mappings (ulimit -u, ulimit -v, "
                         "pids.max of the control group, vm.max_map_count), or let the test use fewer."
                       : "Every thread of the program needs one. Allow the call in the container's seccomp "
                         "profile (docker: --security-opt seccomp=PROFILE.json).");
}

void release_ghost(Ghost& ghost) {
  *tid_word(ghost.fs_base) = 0;
  real_pthread_join(static_cast<pthread_t>(ghost.fs_base), nullptr);
  ghost.fs_base = 0;
}

}  // namespace heddle::sched
