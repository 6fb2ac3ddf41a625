// libatomic's entry points: what compilers call for 16-byte atomics without -mcx16 and for anything larger.
#include "runtime/abi/tsan/native_atomics.h"
#include "runtime/engine/atomics.h"

using heddle::Address;
using heddle::EventKind;
using heddle::abi::Uint128;

extern "C" {
// The sized functions for 16 bytes are the __tsan_atomic128 ones under another name.
Uint128 __tsan_atomic128_load(const volatile Uint128* a, int mo);
void __tsan_atomic128_store(volatile Uint128* a, Uint128 v, int mo);
Uint128 __tsan_atomic128_exchange(volatile Uint128* a, Uint128 v, int mo);
int __tsan_atomic128_compare_exchange_strong(volatile Uint128* a, Uint128* c, Uint128 v, int mo, int fmo);

__attribute__((visibility("default"))) Uint128 heddle_atomic_load_16(const volatile Uint128* a,
                                                                     int mo) __asm__("__atomic_load_16");
__attribute__((visibility("default"))) void heddle_atomic_store_16(volatile Uint128* a, Uint128 v,
                                                                   int mo) __asm__("__atomic_store_16");
__attribute__((visibility("default"))) Uint128
heddle_atomic_exchange_16(volatile Uint128* a, Uint128 v, int mo) __asm__("__atomic_exchange_16");
__attribute__((visibility("default"))) bool heddle_atomic_compare_exchange_16(
    volatile Uint128* a, Uint128* c, Uint128 v, int mo, int fmo) __asm__("__atomic_compare_exchange_16");
__attribute__((visibility("default"))) void heddle_atomic_load(std::size_t size, const void* from, void* to,
                                                               int mo) __asm__("__atomic_load");
__attribute__((visibility("default"))) void heddle_atomic_store(std::size_t size, void* to, const void* from,
                                                                int mo) __asm__("__atomic_store");
__attribute__((visibility("default"))) void heddle_atomic_exchange(std::size_t size, void* address,
                                                                   const void* value, void* old,
                                                                   int mo) __asm__("__atomic_exchange");
__attribute__((visibility("default"))) bool heddle_atomic_compare_exchange(
    std::size_t size, void* address, void* expected, const void* desired, int mo,
    int fmo) __asm__("__atomic_compare_exchange");
}

Uint128 heddle_atomic_load_16(const volatile Uint128* a, int mo) { return __tsan_atomic128_load(a, mo); }
void heddle_atomic_store_16(volatile Uint128* a, Uint128 v, int mo) { __tsan_atomic128_store(a, v, mo); }
Uint128 heddle_atomic_exchange_16(volatile Uint128* a, Uint128 v, int mo) {
  return __tsan_atomic128_exchange(a, v, mo);
}
bool heddle_atomic_compare_exchange_16(volatile Uint128* a, Uint128* c, Uint128 v, int mo, int fmo) {
  return __tsan_atomic128_compare_exchange_strong(a, c, v, mo, fmo) != 0;
}

namespace heddle::abi {
namespace {

// Larger than any instruction: a lock protects them natively, our turn does under the engine. Sequentially
// consistent whatever order was asked for, as libatomic's locks make them.
class LargeAccess {
 public:
  LargeAccess(EventKind kind, const void* address, std::uint64_t pc) : engine_(engine()) {
    if (engine_ != nullptr) {
      engine_->visible({kind, MemoryOrder::kSeqCst, 0, reinterpret_cast<Address>(address), pc});
      sched::SyncObject& object =
          engine_->sync_objects().get(reinterpret_cast<Address>(address), sched::SyncKind::kAnnotation);
      engine_->acquire(object);
      object_ = &object;
      engine_->done(kind, 0);
      if (Event* e = engine_->record(kind, pc)) {
        e->address = reinterpret_cast<Address>(address);
        e->order = MemoryOrder::kSeqCst;
        e->flags = event_flags::kLatestOnly;
      }
    } else {
      while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {
      }
    }
  }
  ~LargeAccess() {
    if (engine_ != nullptr) {
      engine_->release(*object_);
    } else {
      __atomic_clear(&lock, __ATOMIC_RELEASE);
    }
  }
  // What was there already is no change: a loop that stores it is a spin.
  void put(void* to, const void* from, std::size_t size) {
    if (engine_ != nullptr && memcmp(to, from, size) != 0) engine_->changed();
    memcpy(to, from, size);
  }
  LargeAccess(const LargeAccess&) = delete;
  LargeAccess& operator=(const LargeAccess&) = delete;

 private:
  static char lock;
  engine::Execution* engine_;
  sched::SyncObject* object_ = nullptr;
};

char LargeAccess::lock = 0;

}  // namespace
}  // namespace heddle::abi

void heddle_atomic_load(std::size_t size, const void* from, void* to, int) {
  heddle::abi::LargeAccess access(EventKind::kAtomicLoad, from, HEDDLE_CALLER_PC);
  memcpy(to, from, size);
}

void heddle_atomic_store(std::size_t size, void* to, const void* from, int) {
  heddle::abi::LargeAccess access(EventKind::kAtomicStore, to, HEDDLE_CALLER_PC);
  access.put(to, from, size);
}

void heddle_atomic_exchange(std::size_t size, void* address, const void* value, void* old, int) {
  heddle::abi::LargeAccess access(EventKind::kAtomicUpdate, address, HEDDLE_CALLER_PC);
  // `value` and `old` may be one object.
  auto* at = static_cast<unsigned char*>(address);
  for (std::size_t i = 0; i < size; ++i) {
    const unsigned char byte = static_cast<const unsigned char*>(value)[i];
    static_cast<unsigned char*>(old)[i] = at[i];
    access.put(at + i, &byte, 1);
  }
}

bool heddle_atomic_compare_exchange(std::size_t size, void* address, void* expected, const void* desired, int,
                                    int) {
  heddle::abi::LargeAccess access(EventKind::kAtomicUpdate, address, HEDDLE_CALLER_PC);
  if (memcmp(address, expected, size) == 0) {
    access.put(address, desired, size);
    return true;
  }
  memcpy(expected, address, size);
  return false;
}
