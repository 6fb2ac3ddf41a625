// Real atomic operations, for programs that were built with heddle and run without it.
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

__extension__ using Uint128 = unsigned __int128;

namespace native {

template <typename T>
T compare_exchange(volatile T* address, T expected, T desired) {
  return __sync_val_compare_and_swap(address, expected, desired);
}

template <typename T>
T load(const volatile T* address) {
  if constexpr (sizeof(T) == 16) {
    return compare_exchange(const_cast<volatile T*>(address), T{0}, T{0});
  } else {
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);
  }
}

template <typename T, typename Compute>
T update(volatile T* address, Compute compute) {
  T old = load(address);
  for (;;) {
    const T seen = compare_exchange(address, old, compute(old));
    if (seen == old) return old;
    old = seen;
  }
}

template <typename T>
void store(volatile T* address, T value) {
  if constexpr (sizeof(T) == 16) {
    update(address, [value](T) { return value; });
  } else {
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
  }
}

}  // namespace native
}  // namespace heddle::abi
