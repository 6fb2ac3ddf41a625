// A stand-in for libheddle.so: every symbol that the compilers emit for -fsanitize=thread, each doing
// natively what the program asked for. Programs built by `heddle cc` link and run with it, so that these
// tests are about the build and nothing else.
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef unsigned char a8;
typedef unsigned short a16;
typedef unsigned int a32;
typedef unsigned long long a64;
typedef unsigned __int128 a128;

#define EXPORT __attribute__((visibility("default")))

EXPORT const char* heddle_stand_in(void) { return "stand-in"; }

EXPORT void __tsan_init(void) {}
EXPORT void __tsan_func_entry(void* pc) { (void)pc; }
EXPORT void __tsan_func_exit(void) {}
EXPORT void __tsan_vptr_update(void** at, void* value) { (void)at, (void)value; }
EXPORT void __tsan_vptr_read(void** at) { (void)at; }
EXPORT void __tsan_read_range(void* at, size_t size) { (void)at, (void)size; }
EXPORT void __tsan_write_range(void* at, size_t size) { (void)at, (void)size; }
EXPORT void* __tsan_memcpy(void* to, const void* from, size_t size) { return memcpy(to, from, size); }
EXPORT void* __tsan_memmove(void* to, const void* from, size_t size) { return memmove(to, from, size); }
EXPORT void* __tsan_memset(void* to, int value, size_t size) { return memset(to, value, size); }

#define ACCESS(name) \
  EXPORT void __tsan_##name(void* at) { (void)at; }
#define ACCESSES(n)                  \
  ACCESS(read##n)                    \
  ACCESS(write##n)                   \
  ACCESS(read_write##n)              \
  ACCESS(unaligned_read##n)          \
  ACCESS(unaligned_write##n)         \
  ACCESS(unaligned_read_write##n)    \
  ACCESS(volatile_read##n)           \
  ACCESS(volatile_write##n)          \
  ACCESS(unaligned_volatile_read##n) \
  ACCESS(unaligned_volatile_write##n)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

// Read-modify-writes of every size are a loop around one compare-and-swap, which x86-64 has for 16 bytes too.
#define UPDATE(bits, name, expression)                                                      \
  EXPORT a##bits __tsan_atomic##bits##_##name(volatile a##bits* at, a##bits v, int order) { \
    (void)order;                                                                            \
    a##bits old = *at;                                                                      \
    while (true) {                                                                          \
      const a##bits seen = __sync_val_compare_and_swap(at, old, (a##bits)(expression));     \
      if (seen == old) return old;                                                          \
      old = seen;                                                                           \
    }                                                                                       \
  }
#define ATOMICS(bits)                                                                                        \
  EXPORT a##bits __tsan_atomic##bits##_load(const volatile a##bits* at, int order) {                         \
    (void)order;                                                                                             \
    return __sync_val_compare_and_swap((volatile a##bits*)at, 0, 0);                                         \
  }                                                                                                          \
  UPDATE(bits, exchange, v)                                                                                  \
  UPDATE(bits, fetch_add, old + v)                                                                           \
  UPDATE(bits, fetch_sub, old - v)                                                                           \
  UPDATE(bits, fetch_and, old& v)                                                                            \
  UPDATE(bits, fetch_or, old | v)                                                                            \
  UPDATE(bits, fetch_xor, old ^ v)                                                                           \
  UPDATE(bits, fetch_nand, ~(old & v))                                                                       \
  EXPORT void __tsan_atomic##bits##_store(volatile a##bits* at, a##bits v, int order) {                      \
    __tsan_atomic##bits##_exchange(at, v, order);                                                            \
  }                                                                                                          \
  EXPORT a##bits __tsan_atomic##bits##_compare_exchange_val(volatile a##bits* at, a##bits expected,          \
                                                            a##bits v, int order, int failure) {             \
    (void)order, (void)failure;                                                                              \
    return __sync_val_compare_and_swap(at, expected, v);                                                     \
  }                                                                                                          \
  EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile a##bits* at, a##bits* expected,          \
                                                           a##bits v, int order, int failure) {              \
    (void)order, (void)failure;                                                                              \
    const a##bits old = __sync_val_compare_and_swap(at, *expected, v);                                       \
    const bool swapped = old == *expected;                                                                   \
    *expected = old;                                                                                         \
    return swapped;                                                                                          \
  }                                                                                                          \
  EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits* at, a##bits* expected, a##bits v, \
                                                         int order, int failure) {                           \
    return __tsan_atomic##bits##_compare_exchange_strong(at, expected, v, order, failure);                   \
  }
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
ATOMICS(128)

EXPORT void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __sync_synchronize();
}
EXPORT void __tsan_atomic_signal_fence(int order) { (void)order; }
