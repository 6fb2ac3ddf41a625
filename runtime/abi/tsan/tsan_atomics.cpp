// __tsan_atomic*: what the compilers emit for every atomic operation. g++ calls
// compare_exchange_{strong,weak}, clang compare_exchange_val, which has lost the difference.
#include "runtime/abi/tsan/native_atomics.h"
#include "runtime/engine/atomics.h"

using heddle::MemoryOrder;
using heddle::engine::AtomicSite;

namespace heddle::abi {
namespace {

// The low byte is the order; g++ may set flags above it (__ATOMIC_HLE_*).
MemoryOrder order_of(int order) { return static_cast<MemoryOrder>(order & 7); }

// What the program asks for, or what it is held to for a trial.
[[gnu::always_inline]] inline MemoryOrder order_for(const engine::Execution& e, int order, std::uint64_t pc) {
  if (e.enforcing()) [[unlikely]]
    return e.enforced_order(pc, order_of(order));
  return order_of(order);
}

// Of a compare-exchange that fails: it stores nothing.
MemoryOrder as_load(MemoryOrder order) {
  if (order == MemoryOrder::kAcqRel) return MemoryOrder::kAcquire;
  return order == MemoryOrder::kRelease ? MemoryOrder::kRelaxed : order;
}

[[gnu::always_inline]] inline AtomicSite site_of(const engine::Execution& e, const volatile void* address,
                                                 int order, std::uint64_t pc) {
  return {reinterpret_cast<Address>(address), order_for(e, order, pc), pc};
}

template <typename T>
T load(const volatile T* address, int order, std::uint64_t pc) {
  if (engine::Execution* e = engine()) return engine::atomic_load<T>(*e, site_of(*e, address, order, pc));
  return native::load(address);
}

template <typename T>
void store(volatile T* address, T value, int order, std::uint64_t pc) {
  if (engine::Execution* e = engine())
    return engine::atomic_store<T>(*e, site_of(*e, address, order, pc), value);
  native::store(address, value);
}

template <typename T, typename Compute>
T update(volatile T* address, int order, std::uint64_t pc, Compute compute) {
  if (engine::Execution* e = engine())
    return engine::atomic_update<T>(*e, site_of(*e, address, order, pc), compute);
  return native::update(address, compute);
}

template <typename T>
bool exchange_if(volatile T* address, T* expected, T desired, int order, int failure, bool weak,
                 std::uint64_t pc) {
  bool succeeded = false;
  T old;
  if (engine::Execution* e = engine()) {
    old = engine::atomic_compare_exchange<T>(*e, site_of(*e, address, order, pc),
                                             as_load(order_for(*e, failure, pc)), *expected, desired, weak,
                                             succeeded);
  } else {
    old = native::compare_exchange(address, *expected, desired);
    succeeded = old == *expected;
  }
  if (!succeeded) *expected = old;
  return succeeded;
}

}  // namespace
}  // namespace heddle::abi

#define HEDDLE_ATOMICS(bits, T)                                                                              \
  HEDDLE_EXPORT T __tsan_atomic##bits##_load(const volatile T* a, int mo) {                                  \
    return heddle::abi::load<T>(a, mo, HEDDLE_CALLER_PC);                                                    \
  }                                                                                                          \
  HEDDLE_EXPORT void __tsan_atomic##bits##_store(volatile T* a, T v, int mo) {                               \
    heddle::abi::store<T>(a, v, mo, HEDDLE_CALLER_PC);                                                       \
  }                                                                                                          \
  HEDDLE_EXPORT T __tsan_atomic##bits##_exchange(volatile T* a, T v, int mo) {                               \
    return heddle::abi::update<T>(a, mo, HEDDLE_CALLER_PC, [v](T) { return v; });                            \
  }                                                                                                          \
  HEDDLE_EXPORT T __tsan_atomic##bits##_fetch_add(volatile T* a, T v, int mo) {                              \
    return heddle::abi::update<T>(a, mo, HEDDLE_CALLER_PC, [v](T x) { return static_cast<T>(x + v); });      \
  }                                                                                                          \
  HEDDLE_EXPORT T __tsan_atomic##bits##_fetch_sub(volatile T* a, T v, int mo) {                              \
    return heddle::abi::update<T>(a, mo, HEDDLE_CALLER_PC, [v](T x) { return static_cast<T>(x - v); });      \
  }                                                                                                          \
  HEDDLE_EXPORT T __tsan_atomic##bits##_fetch_and(volatile T* a, T v, int mo) {                              \
    return heddle::abi::update<T>(a, mo, HEDDLE_CALLER_PC, [v](T x) { return static_cast<T>(x & v); });      \
  }                                                                                                          \
  HEDDLE_EXPORT T __tsan_atomic##bits##_fetch_or(volatile T* a, T v, int mo) {                               \
    return heddle::abi::update<T>(a, mo, HEDDLE_CALLER_PC, [v](T x) { return static_cast<T>(x | v); });      \
  }                                                                                                          \
  HEDDLE_EXPORT T __tsan_atomic##bits##_fetch_xor(volatile T* a, T v, int mo) {                              \
    return heddle::abi::update<T>(a, mo, HEDDLE_CALLER_PC, [v](T x) { return static_cast<T>(x ^ v); });      \
  }                                                                                                          \
  HEDDLE_EXPORT T __tsan_atomic##bits##_fetch_nand(volatile T* a, T v, int mo) {                             \
    return heddle::abi::update<T>(a, mo, HEDDLE_CALLER_PC, [v](T x) { return static_cast<T>(~(x & v)); });   \
  }                                                                                                          \
  HEDDLE_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* c, T v, int mo,          \
                                                                  int fmo) {                                 \
    return heddle::abi::exchange_if<T>(a, c, v, mo, fmo, false, HEDDLE_CALLER_PC) ? 1 : 0;                   \
  }                                                                                                          \
  HEDDLE_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* c, T v, int mo, int fmo) { \
    return heddle::abi::exchange_if<T>(a, c, v, mo, fmo, true, HEDDLE_CALLER_PC) ? 1 : 0;                    \
  }                                                                                                          \
  HEDDLE_EXPORT T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T c, T v, int mo, int fmo) {     \
    heddle::abi::exchange_if<T>(a, &c, v, mo, fmo, false, HEDDLE_CALLER_PC);                                 \
    return c;                                                                                                \
  }

HEDDLE_ATOMICS(8, std::uint8_t)
HEDDLE_ATOMICS(16, std::uint16_t)
HEDDLE_ATOMICS(32, std::uint32_t)
HEDDLE_ATOMICS(64, std::uint64_t)
HEDDLE_ATOMICS(128, heddle::abi::Uint128)

HEDDLE_EXPORT void __tsan_atomic_thread_fence(int mo) {
  if (heddle::engine::Execution* e = heddle::abi::engine()) {
    heddle::engine::atomic_fence(*e, heddle::abi::order_for(*e, mo, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
  } else {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

// Orders a thread against its own signal handlers only: fibers run program order.
HEDDLE_EXPORT void __tsan_atomic_signal_fence(int) {}
