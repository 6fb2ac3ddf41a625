// Opening files. /dev/urandom and /dev/random are files of bytes that follow from the seed and the execution;
// what is opened to be written ends the prefix that executions have in common.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pages.h"
#include "runtime/abi/interposed_call.h"
#include "runtime/abi/libc/own_proc_files.h"
#include "runtime/abi/pthread/shared_objects.h"
#include "runtime/session/session.h"
#include "runtime/session/syscall_gate.h"

namespace heddle::abi {
namespace {

// More than any program draws to seed itself; who reads on comes to the end of the file.
constexpr std::size_t kBytes = 64 * 1024;

bool is_random_device(const char* path) {
  for (const char* name : {"/dev/urandom", "/dev/random"}) {
    const std::size_t length = strlen(name) + 1;
    if (memcmp(path, name, length) == 0) return true;
  }
  return false;
}

int open_random_bytes(engine::Execution& e) {
  const long arguments[6] = {};
  session::program_makes_syscall(SYS_memfd_create, arguments);
  const long file = raw_syscall(SYS_memfd_create, "random", 0);
  if (file < 0) {
    errno = static_cast<int>(-file);
    return -1;
  }
  std::uint64_t words[512];
  for (std::size_t done = 0; done < kBytes; done += sizeof words) {
    for (std::uint64_t& word : words) word = e.outside().next();
    raw_syscall(SYS_write, file, words, sizeof words);
  }
  raw_syscall(SYS_lseek, file, 0, SEEK_SET);
  return static_cast<int>(file);
}

// What is not the kernel's to show: a descriptor, -1 with errno set, or kNotOurs.
constexpr int kNotOurs = -2;
int open_virtual_file(engine::Execution* e, const char* path, bool writes) {
  if (e == nullptr) return kNotOurs;
  if (is_random_device(path)) return open_random_bytes(*e);
  const int file = writes ? -1 : open_own_proc_file(*e, path);
  return file >= 0 ? file : kNotOurs;
}

// A file that is made, emptied or written must not be shared by executions: each opens it for itself.
void before_open(engine::Execution* e, const char* path, bool writes) {
  if (e == nullptr || !writes || memcmp(path, "/dev/", strlen(path) < 5 ? strlen(path) : 5) == 0) return;
  e->leave_prefix();
  session::touches_outside(path);
}
bool writes(int flags) { return (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) != 0; }
bool writes(const char* mode) {
  for (const char* c = mode; *c != '\0'; ++c) {
    if (*c == 'w' || *c == 'a' || *c == '+') return true;
  }
  return false;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPageSize - 1) & ~(kPageSize - 1); }

// Other mappings than the process's own fresh memory are somebody else's contents.
constexpr bool is_fresh_memory(int flags) { return (flags & (MAP_SHARED | MAP_ANONYMOUS)) == MAP_ANONYMOUS; }

// LLVM's libomp leaves a note of this name, with the process's id in it, for a second copy of itself in the
// same process. The id is ours, and the same in all executions: they would find each other's. What it says is
// the same in all of them, too.
bool is_note_of_openmp(const char* name) {
  constexpr char kNote[] = "/__KMP_REGISTERED_LIB_";
  return strlen(name) >= sizeof kNote - 1 && memcmp(name, kNote, sizeof kNote - 1) == 0;
}

int note_of_openmp = -1;

bool needs_mode(int flags) { return (flags & (O_CREAT | O_TMPFILE)) != 0; }

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;

#define HEDDLE_OPEN(name)                                                                 \
  HEDDLE_EXPORT int name(const char* path, int flags, ...) {                              \
    mode_t mode = 0;                                                                      \
    if (heddle::abi::needs_mode(flags)) {                                                 \
      va_list list;                                                                       \
      va_start(list, flags);                                                              \
      mode = va_arg(list, mode_t);                                                        \
      va_end(list);                                                                       \
    }                                                                                     \
    auto* e = engine();                                                                   \
    HEDDLE_EXPORTED_CALL(name).reads_text(path);                                          \
    const int file = heddle::abi::open_virtual_file(e, path, heddle::abi::writes(flags)); \
    if (file != heddle::abi::kNotOurs) return file;                                       \
    heddle::abi::before_open(e, path, heddle::abi::writes(flags));                        \
    return HEDDLE_REAL(name)(path, flags, mode);                                          \
  }

#define HEDDLE_FOPEN(name)                                                               \
  HEDDLE_EXPORT FILE* name(const char* path, const char* mode) {                         \
    auto* e = engine();                                                                  \
    const auto call = HEDDLE_EXPORTED_CALL(name);                                        \
    call.reads_text(path);                                                               \
    call.reads_text(mode);                                                               \
    const int file = heddle::abi::open_virtual_file(e, path, heddle::abi::writes(mode)); \
    if (file != heddle::abi::kNotOurs) return file < 0 ? nullptr : fdopen(file, "r");    \
    heddle::abi::before_open(e, path, heddle::abi::writes(mode));                        \
    return HEDDLE_REAL(name)(path, mode);                                                \
  }

HEDDLE_OPEN(open)
HEDDLE_OPEN(open64)
HEDDLE_FOPEN(fopen)
HEDDLE_FOPEN(fopen64)

HEDDLE_EXPORT int openat(int directory, const char* path, int flags, ...) {
  mode_t mode = 0;
  if (heddle::abi::needs_mode(flags)) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, mode_t);
    va_end(list);
  }
  auto* e = engine();
  HEDDLE_EXPORTED_CALL(openat).reads_text(path);
  const int file = heddle::abi::open_virtual_file(e, path, heddle::abi::writes(flags));
  if (file != heddle::abi::kNotOurs) return file;
  heddle::abi::before_open(e, path, heddle::abi::writes(flags));
  return HEDDLE_REAL(openat)(directory, path, flags, mode);
}

#define HEDDLE_CREATES(name)                              \
  HEDDLE_EXPORT int name(const char* path, mode_t mode) { \
    HEDDLE_EXPORTED_CALL(name).reads_text(path);          \
    heddle::abi::before_open(engine(), path, true);       \
    return HEDDLE_REAL(name)(path, mode);                 \
  }
HEDDLE_CREATES(creat)
HEDDLE_CREATES(creat64)

// Files that nobody else has the name of.
#define HEDDLE_MAKES_NAMED_FILE(name, parameters, arguments)       \
  HEDDLE_EXPORT int name parameters {                              \
    if (auto* e = engine()) e->leave_prefix();                     \
    const int result = HEDDLE_REAL(name) arguments;                \
    if (result >= 0) HEDDLE_EXPORTED_CALL(name).writes_text(path); \
    return result;                                                 \
  }
HEDDLE_MAKES_NAMED_FILE(mkstemp, (char* path), (path))
HEDDLE_MAKES_NAMED_FILE(mkstemp64, (char* path), (path))
HEDDLE_MAKES_NAMED_FILE(mkostemp, (char* path, int flags), (path, flags))
HEDDLE_MAKES_NAMED_FILE(mkstemps, (char* path, int suffix), (path, suffix))
#define HEDDLE_MAKES_FILE(result, name, parameters, arguments) \
  HEDDLE_EXPORT result name parameters {                       \
    if (auto* e = engine()) e->leave_prefix();                 \
    return HEDDLE_REAL(name) arguments;                        \
  }
HEDDLE_MAKES_FILE(FILE*, tmpfile, (), ())
HEDDLE_MAKES_FILE(FILE*, tmpfile64, (), ())
HEDDLE_EXPORT char* mkdtemp(char* path) noexcept {
  if (auto* e = engine()) e->leave_prefix();
  char* const result = HEDDLE_REAL(mkdtemp)(path);
  HEDDLE_EXPORTED_CALL(mkdtemp).writes_text(result);
  return result;
}
HEDDLE_EXPORT int shm_open(const char* name, int flags, mode_t mode) {
  if (auto* e = engine(); e != nullptr && heddle::abi::is_note_of_openmp(name)) {
    if ((flags & O_CREAT) != 0)
      return heddle::abi::note_of_openmp = HEDDLE_REAL(memfd_create)(name, MFD_CLOEXEC);
    errno = ENOENT;
    return -1;
  }
  heddle::abi::before_open(engine(), name, true);
  return HEDDLE_REAL(shm_open)(name, flags, mode);
}
HEDDLE_EXPORT int memfd_create(const char* name, unsigned flags) noexcept {
  if (auto* e = engine()) e->leave_prefix();
  return HEDDLE_REAL(memfd_create)(name, flags);
}
namespace heddle::abi {
namespace {

// Shared memory that a process of the zygote could write would be the same for all executions.
void* map_memory_of_program(void* address, std::size_t bytes, int protection, int flags, int file,
                            off_t offset, std::uint64_t pc) {
  if (auto* e = engine(); e != nullptr && (flags & MAP_SHARED) != 0 && (protection & PROT_WRITE) != 0 &&
                          (file < 0 || file != note_of_openmp)) {
    e->leave_prefix();
    note_shared_mapping();
  }
  void* result = HEDDLE_REAL(mmap)(address, bytes, protection, flags, file, offset);
  if (auto* e = engine(); e != nullptr && result != MAP_FAILED) {
    const auto begin = reinterpret_cast<Address>(result);
    const std::size_t whole = whole_pages(bytes);
    // What was there is replaced.
    if ((flags & MAP_FIXED) != 0) e->forget_memory(begin, whole);
    if (is_fresh_memory(flags)) e->memory_mapped(begin, whole, pc);
  }
  return result;
}

}  // namespace
}  // namespace heddle::abi

HEDDLE_EXPORT void* mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                         off_t offset) noexcept {
  return heddle::abi::map_memory_of_program(address, bytes, protection, flags, file, offset,
                                            HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int munmap(void* address, std::size_t bytes) noexcept {
  const int result = HEDDLE_REAL(munmap)(address, bytes);
  if (auto* e = engine(); e != nullptr && result == 0)
    e->memory_unmapped(reinterpret_cast<heddle::Address>(address), heddle::abi::whole_pages(bytes),
                       HEDDLE_CALLER_PC);
  return result;
}
// What is kept moves with its contents: as if unmapped here and mapped there.
HEDDLE_EXPORT void* mremap(void* address, std::size_t bytes, std::size_t new_bytes, int flags, ...) noexcept {
  void* wanted = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    va_list list;
    va_start(list, flags);
    wanted = va_arg(list, void*);
    va_end(list);
  }
  void* result = HEDDLE_REAL(mremap)(address, bytes, new_bytes, flags, wanted);
  if (auto* e = engine(); e != nullptr && result != MAP_FAILED) {
    e->memory_unmapped(reinterpret_cast<heddle::Address>(address), heddle::abi::whole_pages(bytes),
                       HEDDLE_CALLER_PC);
    e->memory_mapped(reinterpret_cast<heddle::Address>(result), heddle::abi::whole_pages(new_bytes),
                     HEDDLE_CALLER_PC);
  }
  return result;
}
HEDDLE_EXPORT void* mmap64(void* address, std::size_t bytes, int protection, int flags, int file,
                           off64_t offset) noexcept {
  return heddle::abi::map_memory_of_program(address, bytes, protection, flags, file, offset,
                                            HEDDLE_CALLER_PC);
}
