// The detector behind the symbols that instrumented code calls, in a library of its own as in production:
// what a plain access costs with one running thread.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "runtime/race/race_detector.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

using heddle::Address;
using heddle::race::AccessOp;
using heddle::race::Race;

constinit heddle::race::RaceDetector detector;
constinit std::uint32_t times[4] = {1, 1, 1, 1};
bool started = false;

void* (*real_memset)(void*, int, std::size_t);
void* (*real_memcpy)(void*, const void*, std::size_t);
void* (*real_memmove)(void*, const void*, std::size_t);

[[noreturn, gnu::cold, gnu::noinline]] void report() {
  std::fputs("race_shim: a race where none can be\n", stderr);
  std::abort();
}

template <AccessOp kOp, std::uint32_t kSize>
[[gnu::always_inline]] inline void access(void* address, void* pc) {
  const Race* race =
      detector.on_access<kOp, kSize>(reinterpret_cast<Address>(address), reinterpret_cast<std::uint64_t>(pc));
  if (__builtin_expect(race != nullptr, 0)) report();
}

void range(AccessOp op, const void* begin, std::size_t size, void* pc) {
  if (started &&
      detector.on_range(op, reinterpret_cast<Address>(begin), size, reinterpret_cast<std::uint64_t>(pc)))
    report();
}

template <typename Function>
void find_next(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define PC __builtin_return_address(0)

#define DEFINE_ACCESSES(size)                                                                    \
  EXPORTED void __tsan_read##size(void* address) { access<AccessOp::kRead, size>(address, PC); } \
  EXPORTED void __tsan_write##size(void* address) { access<AccessOp::kWrite, size>(address, PC); }
DEFINE_ACCESSES(1)
DEFINE_ACCESSES(2)
DEFINE_ACCESSES(4)
DEFINE_ACCESSES(8)
DEFINE_ACCESSES(16)

#define DEFINE_UNALIGNED(size)                                                                             \
  EXPORTED void __tsan_unaligned_read##size(void* address) { access<AccessOp::kRead, size>(address, PC); } \
  EXPORTED void __tsan_unaligned_write##size(void* address) { access<AccessOp::kWrite, size>(address, PC); }
DEFINE_UNALIGNED(2)
DEFINE_UNALIGNED(4)
DEFINE_UNALIGNED(8)
DEFINE_UNALIGNED(16)

EXPORTED void __tsan_func_entry(void*) {}
EXPORTED void __tsan_func_exit() {}
EXPORTED void __tsan_read_range(void* begin, std::size_t size) { range(AccessOp::kRead, begin, size, PC); }
EXPORTED void __tsan_write_range(void* begin, std::size_t size) { range(AccessOp::kWrite, begin, size, PC); }

EXPORTED void __tsan_init() {
  if (started) return;
  find_next(real_memset, "memset"), find_next(real_memcpy, "memcpy"), find_next(real_memmove, "memmove");
  if (!detector.start(heddle::race::Mode::kFast)) std::abort();
  detector.enter(heddle::ThreadId{1}, times[1], {times, 4});
  started = true;
}

// As a release by the running thread would.
EXPORTED void heddle_bench_new_epoch() {
  ++times[1];
  detector.enter(heddle::ThreadId{1}, times[1], {times, 4});
}

EXPORTED void* __tsan_memset(void* block, int value, std::size_t size) {
  range(AccessOp::kWrite, block, size, PC);
  return real_memset(block, value, size);
}
EXPORTED void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  range(AccessOp::kRead, from, size, PC), range(AccessOp::kWrite, to, size, PC);
  return real_memcpy(to, from, size);
}

// The program's calls, and with them those of uninstrumented libraries, as under ThreadSanitizer.
EXPORTED void* memset(void* block, int value, std::size_t size) {
  if (!started) {
    for (std::size_t i = 0; i < size; ++i) static_cast<volatile char*>(block)[i] = static_cast<char>(value);
    return block;
  }
  return __tsan_memset(block, value, size);
}
EXPORTED void* memcpy(void* to, const void* from, std::size_t size) {
  if (!started) {
    for (std::size_t i = 0; i < size; ++i)
      static_cast<volatile char*>(to)[i] = static_cast<const volatile char*>(from)[i];
    return to;
  }
  return __tsan_memcpy(to, from, size);
}

// Memory that is unmapped has no history.
EXPORTED int munmap(void* begin, std::size_t size) {
  if (started) detector.reset_range(reinterpret_cast<Address>(begin), size);
  return static_cast<int>(heddle::raw_syscall(11, reinterpret_cast<long>(begin), static_cast<long>(size), 0));
}
