// fixed-layout PROGRAM ARGV0 ARGS…: starts a program at addresses that are the same in every process, where
// the system does not let randomisation be turned off (containers deny `personality`).
//
// The kernel gives out addresses from the top down: each new mapping goes into the highest gap that holds it.
// What is random is where the top is. So this program fills everything above a fixed address with memory that
// nobody can touch, maps the dynamic linker into the highest gap that is left, and calls it with the
// program's name, as in `ld.so PROGRAM`. All that the linker and the program map then lies right below that
// address, in the same places every time. The stack that the program begins on is a mapping like all others.
//
// It lives on after that as reserved addresses only. It has no libc: whoever execs it has the new program's
// environment. Where something is missing it execs the program as usual, at random addresses.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cstddef>
#include <cstdint>

#include "core/base/raw_syscall.h"

namespace heddle::layout {
namespace {

// Below every address at which the kernel may begin: 2^47, less 16 TB (vm.mmap_rnd_bits is at most 32), less
// the stack's random offset and gap. Above what the runtime uses (core/base/pages.h).
constexpr std::uint64_t kTop = 0x6f80'0000'0000;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kStackBytes = 8ull << 20;
constexpr std::size_t kMostHeaders = 32;

constexpr bool failed(long result) { return result < 0 && result > -4096; }
constexpr std::uint64_t page_of(std::uint64_t address) { return address & ~(kPage - 1); }
constexpr std::uint64_t page_end(std::uint64_t address) { return page_of(address + kPage - 1); }

long reserve(std::uint64_t bytes, int protection = PROT_NONE) {
  return raw_syscall(SYS_mmap, 0, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// Leaves no gap above kTop.
void fill_top() {
  for (std::uint64_t bytes = 1ull << 46; bytes >= kPage; bytes /= 2) {
    for (;;) {
      const long at = reserve(bytes);
      if (failed(at)) break;
      if (static_cast<std::uint64_t>(at) >= kTop) continue;
      raw_syscall(SYS_munmap, at, bytes);
      break;
    }
  }
}

struct Image {
  Elf64_Ehdr header;
  Elf64_Phdr segments[kMostHeaders];
  long file = -1;

  bool read(const char* path) {
    file = raw_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    if (raw_syscall(SYS_pread64, file, &header, sizeof header, 0) != sizeof header) return false;
    const std::uint64_t bytes = header.e_phnum * sizeof(Elf64_Phdr);
    return header.e_phnum <= kMostHeaders && header.e_phentsize == sizeof(Elf64_Phdr) &&
           raw_syscall(SYS_pread64, file, segments, bytes, header.e_phoff) == static_cast<long>(bytes);
  }
};

// The address that the file's own addresses are relative to; 0: it could not be mapped.
std::uint64_t map_image(const Image& image) {
  std::uint64_t begin = ~0ull, end = 0;
  for (unsigned i = 0; i < image.header.e_phnum; ++i) {
    const Elf64_Phdr& p = image.segments[i];
    if (p.p_type != PT_LOAD) continue;
    if (p.p_vaddr < begin) begin = p.p_vaddr;
    if (p.p_vaddr + p.p_memsz > end) end = p.p_vaddr + p.p_memsz;
  }
  if (image.header.e_type != ET_DYN || begin >= end) return 0;
  const long at = reserve(page_end(end) - page_of(begin));
  if (failed(at)) return 0;
  const std::uint64_t base = static_cast<std::uint64_t>(at) - page_of(begin);
  for (unsigned i = 0; i < image.header.e_phnum; ++i) {
    const Elf64_Phdr& p = image.segments[i];
    if (p.p_type != PT_LOAD) continue;
    const int protection = ((p.p_flags & PF_R) != 0 ? PROT_READ : 0) |
                           ((p.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
                           ((p.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    const std::uint64_t file_end = base + p.p_vaddr + p.p_filesz, memory_end = base + p.p_vaddr + p.p_memsz;
    const std::uint64_t first = page_of(base + p.p_vaddr);
    if (page_end(file_end) > first &&
        failed(raw_syscall(SYS_mmap, first, page_end(file_end) - first, protection, MAP_PRIVATE | MAP_FIXED,
                           image.file, page_of(p.p_offset))))
      return 0;
    if (page_end(memory_end) > page_end(file_end) &&
        failed(raw_syscall(SYS_mmap, page_end(file_end), page_end(memory_end) - page_end(file_end),
                           protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)))
      return 0;
    // What follows the file's bytes in their last page is zero.
    if ((p.p_flags & PF_W) == 0 || memory_end <= file_end) continue;
    for (std::uint64_t byte = file_end; byte < page_end(file_end); ++byte)
      *reinterpret_cast<volatile char*>(byte) = 0;
  }
  return base;
}

std::size_t length_of(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

// Puts the words and strings of a new process's stack where they belong, from the top down.
class Stack {
 public:
  explicit Stack(std::uint64_t end) : at_(end) {}

  std::uint64_t bytes(const void* from, std::size_t count) {
    at_ -= count;
    for (std::size_t i = 0; i < count; ++i)
      reinterpret_cast<volatile char*>(at_)[i] = static_cast<const char*>(from)[i];
    return at_;
  }
  std::uint64_t text(const char* from) { return bytes(from, length_of(from) + 1); }
  // Room for so many words, with the first at an address that the ABI allows for a stack's end.
  std::uint64_t* words(std::size_t count) {
    at_ = (at_ - count * sizeof(std::uint64_t)) & ~15ull;
    return reinterpret_cast<std::uint64_t*>(at_);
  }

 private:
  std::uint64_t at_;
};

[[noreturn]] void enter(std::uint64_t entry, std::uint64_t* stack) {
  asm volatile(
      "mov %1, %%rsp\n\t"
      "xor %%edx, %%edx\n\t"  // no function to call at exit
      "xor %%ebp, %%ebp\n\t"
      "jmp *%0"
      :
      : "r"(entry), "r"(stack)
      : "memory", "rdx");
  __builtin_unreachable();
}

struct Start {
  char** argv;  // of the program: its path, then what it is to see
  std::uint64_t argc;
  char** environment;
  Elf64_auxv_t* auxiliary;
};

// Returns where that is not possible.
void start_at_fixed_addresses(const Start& start) {
  Image program, linker;
  char linker_path[512];
  if (!program.read(start.argv[0])) return;
  const Elf64_Phdr* interpreter = nullptr;
  for (unsigned i = 0; i < program.header.e_phnum; ++i) {
    if (program.segments[i].p_type == PT_INTERP) interpreter = &program.segments[i];
  }
  if (interpreter == nullptr || interpreter->p_filesz >= sizeof linker_path) return;
  const long got =
      raw_syscall(SYS_pread64, program.file, linker_path, interpreter->p_filesz, interpreter->p_offset);
  raw_syscall(SYS_close, program.file);
  if (got != static_cast<long>(interpreter->p_filesz)) return;
  linker_path[got] = '\0';
  if (!linker.read(linker_path)) return;
  fill_top();
  const std::uint64_t base = map_image(linker);
  raw_syscall(SYS_close, linker.file);
  const long memory = reserve(kStackBytes, PROT_READ | PROT_WRITE);
  if (base == 0 || failed(memory)) return;

  std::size_t variables = 0, entries = 0;
  while (start.environment[variables] != nullptr) ++variables;
  while (start.auxiliary[entries].a_type != AT_NULL) ++entries;
  // ld.so --argv0 ARGV0 PROGRAM ARGS…
  constexpr std::size_t kAdded = 2;
  const std::size_t arguments = start.argc + kAdded;
  Stack stack(static_cast<std::uint64_t>(memory) + kStackBytes - 64);
  const std::size_t count = 1 + arguments + 1 + variables + 1 + 2 * (entries + 1);
  // Strings go to the top of the stack and the words that point to them below: where the words lie is not
  // known before all strings are written.
  const long kept = reserve(page_end(count * sizeof(std::uint64_t)), PROT_READ | PROT_WRITE);
  if (failed(kept)) return;
  auto* to = reinterpret_cast<std::uint64_t*>(kept);
  std::size_t n = 0;
  to[n++] = arguments;
  to[n++] = stack.text(linker_path);
  to[n++] = stack.text("--argv0");
  to[n++] = stack.text(start.argv[1]);
  to[n++] = stack.text(start.argv[0]);
  for (std::uint64_t i = 2; i < start.argc; ++i) to[n++] = stack.text(start.argv[i]);
  to[n++] = 0;
  for (std::size_t i = 0; i < variables; ++i) to[n++] = stack.text(start.environment[i]);
  to[n++] = 0;
  for (std::size_t i = 0; i <= entries; ++i) {
    const Elf64_auxv_t& entry = start.auxiliary[i];
    std::uint64_t value = entry.a_un.a_val;
    const auto* text = reinterpret_cast<const char*>(value);
    if (entry.a_type == AT_PHDR) value = base + linker.header.e_phoff;
    if (entry.a_type == AT_PHNUM) value = linker.header.e_phnum;
    if (entry.a_type == AT_ENTRY) value = base + linker.header.e_entry;
    if (entry.a_type == AT_BASE) value = 0;
    if (entry.a_type == AT_EXECFN) value = to[4];
    if (entry.a_type == AT_PLATFORM || entry.a_type == AT_BASE_PLATFORM) value = stack.text(text);
    if (entry.a_type == AT_RANDOM) value = stack.bytes(text, 16);
    to[n++] = entry.a_type;
    to[n++] = value;
  }
  std::uint64_t* const top = stack.words(count);
  for (std::size_t i = 0; i < count; ++i) top[i] = to[i];
  raw_syscall(SYS_munmap, kept, page_end(count * sizeof(std::uint64_t)));
  const char* name = start.argv[0];
  for (const char* at = name; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  raw_syscall(SYS_prctl, PR_SET_NAME, name, 0, 0, 0);
  enter(base + linker.header.e_entry, top);
}

}  // namespace

extern "C" [[noreturn, gnu::used]] void heddle_fixed_layout(std::uint64_t* stack) {
  Start start;
  auto** words = reinterpret_cast<char**>(stack + 1);
  start.environment = words + stack[0] + 1;
  start.argv = words + 1;
  start.argc = stack[0] - 1;
  std::size_t variables = 0;
  while (start.environment[variables] != nullptr) ++variables;
  start.auxiliary = reinterpret_cast<Elf64_auxv_t*>(start.environment + variables + 1);
  if (stack[0] >= 3) {
    start_at_fixed_addresses(start);
    raw_syscall(SYS_execve, start.argv[0], start.argv + 1, start.environment);
  }
  raw_syscall(SYS_exit_group, 127);
  __builtin_unreachable();
}

asm(R"(
  .globl _start
  .type _start, @function
_start:
  mov %rsp, %rdi
  and $-16, %rsp
  call heddle_fixed_layout
  hlt
)");

}  // namespace heddle::layout
