// __tsan_read*, __tsan_write* and their relatives: plain and volatile accesses, called before the access
// itself.
#include "runtime/abi/engine_access.h"

namespace heddle::abi {
namespace {

using race::AccessOp;

template <AccessOp kOp, std::uint32_t kSize>
inline void plain(const void* address, std::uint64_t pc) {
  if (engine::Execution* e = engine()) e->plain_access<kOp, kSize>(reinterpret_cast<Address>(address), pc);
}

template <AccessOp kOp>
inline void plain_range(const void* address, std::size_t bytes, std::uint64_t pc) {
  if (engine::Execution* e = engine()) e->plain_range(kOp, reinterpret_cast<Address>(address), bytes, pc);
}

template <AccessOp kOp, std::uint32_t kSize>
inline void volatile_access(const void* address, std::uint64_t pc) {
  engine::Execution* e = engine();
  if (e == nullptr) return;
  if (e->spec().volatile_kind == VolatileKind::kPlain) {
    e->plain_access<kOp, kSize>(reinterpret_cast<Address>(address), pc);
  } else {
    const auto at = reinterpret_cast<Address>(address);
    kOp == AccessOp::kWrite ? e->volatile_write(at, kSize, pc) : e->volatile_read(at, kSize, pc);
  }
}

}  // namespace
}  // namespace heddle::abi

using Access = heddle::race::AccessOp;

#define HEDDLE_PLAIN(bytes)                                                   \
  HEDDLE_EXPORT void __tsan_read##bytes(void* a) {                            \
    heddle::abi::plain<Access::kRead, bytes>(a, HEDDLE_CALLER_PC);            \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_write##bytes(void* a) {                           \
    heddle::abi::plain<Access::kWrite, bytes>(a, HEDDLE_CALLER_PC);           \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_read##bytes(void* a) {                  \
    heddle::abi::plain<Access::kRead, bytes>(a, HEDDLE_CALLER_PC);            \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_write##bytes(void* a) {                 \
    heddle::abi::plain<Access::kWrite, bytes>(a, HEDDLE_CALLER_PC);           \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_read_write##bytes(void* a) {                      \
    heddle::abi::plain<Access::kRead, bytes>(a, HEDDLE_CALLER_PC);            \
    heddle::abi::plain<Access::kWrite, bytes>(a, HEDDLE_CALLER_PC);           \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_read_write##bytes(void* a) {            \
    heddle::abi::plain<Access::kRead, bytes>(a, HEDDLE_CALLER_PC);            \
    heddle::abi::plain<Access::kWrite, bytes>(a, HEDDLE_CALLER_PC);           \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_volatile_read##bytes(void* a) {                   \
    heddle::abi::volatile_access<Access::kRead, bytes>(a, HEDDLE_CALLER_PC);  \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_volatile_write##bytes(void* a) {                  \
    heddle::abi::volatile_access<Access::kWrite, bytes>(a, HEDDLE_CALLER_PC); \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_volatile_read##bytes(void* a) {         \
    heddle::abi::volatile_access<Access::kRead, bytes>(a, HEDDLE_CALLER_PC);  \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_volatile_write##bytes(void* a) {        \
    heddle::abi::volatile_access<Access::kWrite, bytes>(a, HEDDLE_CALLER_PC); \
  }

HEDDLE_PLAIN(1)
HEDDLE_PLAIN(2)
HEDDLE_PLAIN(4)
HEDDLE_PLAIN(8)
HEDDLE_PLAIN(16)

#define HEDDLE_PLAIN_PC(bytes)                                                         \
  HEDDLE_EXPORT void __tsan_read##bytes##_pc(void* a, void* pc) {                      \
    heddle::abi::plain<Access::kRead, bytes>(a, reinterpret_cast<std::uint64_t>(pc));  \
  }                                                                                    \
  HEDDLE_EXPORT void __tsan_write##bytes##_pc(void* a, void* pc) {                     \
    heddle::abi::plain<Access::kWrite, bytes>(a, reinterpret_cast<std::uint64_t>(pc)); \
  }

HEDDLE_PLAIN_PC(1)
HEDDLE_PLAIN_PC(2)
HEDDLE_PLAIN_PC(4)
HEDDLE_PLAIN_PC(8)
HEDDLE_PLAIN_PC(16)

HEDDLE_EXPORT void __tsan_read_range(void* a, std::size_t bytes) {
  heddle::abi::plain_range<Access::kRead>(a, bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void __tsan_write_range(void* a, std::size_t bytes) {
  heddle::abi::plain_range<Access::kWrite>(a, bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void __tsan_vptr_read(void** a) { heddle::abi::plain<Access::kRead, 8>(a, HEDDLE_CALLER_PC); }
// A store of the same pointer is what every constructor and destructor of a final class does: no write.
HEDDLE_EXPORT void __tsan_vptr_update(void** a, void* value) {
  if (*a != value) heddle::abi::plain<Access::kWrite, 8>(a, HEDDLE_CALLER_PC);
}
