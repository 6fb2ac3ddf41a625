// __tsan_read*, __tsan_write* and their relatives: plain and volatile accesses, called before the access
// itself.
#include "runtime/abi/engine_access.h"

namespace heddle::abi {
namespace {

enum class Access { kRead, kWrite };

template <Access kAccess>
inline void plain(const void*, std::size_t, std::uint64_t) {}

template <Access kAccess>
inline void volatile_access(const void*, std::size_t, std::uint64_t) {}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::Access;

#define HEDDLE_PLAIN(bytes)                                                   \
  HEDDLE_EXPORT void __tsan_read##bytes(void* a) {                            \
    heddle::abi::plain<Access::kRead>(a, bytes, HEDDLE_CALLER_PC);            \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_write##bytes(void* a) {                           \
    heddle::abi::plain<Access::kWrite>(a, bytes, HEDDLE_CALLER_PC);           \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_read##bytes(void* a) {                  \
    heddle::abi::plain<Access::kRead>(a, bytes, HEDDLE_CALLER_PC);            \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_write##bytes(void* a) {                 \
    heddle::abi::plain<Access::kWrite>(a, bytes, HEDDLE_CALLER_PC);           \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_read_write##bytes(void* a) {                      \
    heddle::abi::plain<Access::kRead>(a, bytes, HEDDLE_CALLER_PC);            \
    heddle::abi::plain<Access::kWrite>(a, bytes, HEDDLE_CALLER_PC);           \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_read_write##bytes(void* a) {            \
    heddle::abi::plain<Access::kRead>(a, bytes, HEDDLE_CALLER_PC);            \
    heddle::abi::plain<Access::kWrite>(a, bytes, HEDDLE_CALLER_PC);           \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_volatile_read##bytes(void* a) {                   \
    heddle::abi::volatile_access<Access::kRead>(a, bytes, HEDDLE_CALLER_PC);  \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_volatile_write##bytes(void* a) {                  \
    heddle::abi::volatile_access<Access::kWrite>(a, bytes, HEDDLE_CALLER_PC); \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_volatile_read##bytes(void* a) {         \
    heddle::abi::volatile_access<Access::kRead>(a, bytes, HEDDLE_CALLER_PC);  \
  }                                                                           \
  HEDDLE_EXPORT void __tsan_unaligned_volatile_write##bytes(void* a) {        \
    heddle::abi::volatile_access<Access::kWrite>(a, bytes, HEDDLE_CALLER_PC); \
  }

HEDDLE_PLAIN(1)
HEDDLE_PLAIN(2)
HEDDLE_PLAIN(4)
HEDDLE_PLAIN(8)
HEDDLE_PLAIN(16)

#define HEDDLE_PLAIN_PC(bytes)                                                         \
  HEDDLE_EXPORT void __tsan_read##bytes##_pc(void* a, void* pc) {                      \
    heddle::abi::plain<Access::kRead>(a, bytes, reinterpret_cast<std::uint64_t>(pc));  \
  }                                                                                    \
  HEDDLE_EXPORT void __tsan_write##bytes##_pc(void* a, void* pc) {                     \
    heddle::abi::plain<Access::kWrite>(a, bytes, reinterpret_cast<std::uint64_t>(pc)); \
  }

HEDDLE_PLAIN_PC(1)
HEDDLE_PLAIN_PC(2)
HEDDLE_PLAIN_PC(4)
HEDDLE_PLAIN_PC(8)
HEDDLE_PLAIN_PC(16)

HEDDLE_EXPORT void __tsan_read_range(void* a, std::size_t bytes) {
  heddle::abi::plain<Access::kRead>(a, bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void __tsan_write_range(void* a, std::size_t bytes) {
  heddle::abi::plain<Access::kWrite>(a, bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void __tsan_vptr_read(void** a) {
  heddle::abi::plain<Access::kRead>(a, sizeof *a, HEDDLE_CALLER_PC);
}
// A store of the same pointer is what every constructor and destructor of a final class does: no write.
HEDDLE_EXPORT void __tsan_vptr_update(void** a, void* value) {
  if (*a != value) heddle::abi::plain<Access::kWrite>(a, sizeof *a, HEDDLE_CALLER_PC);
}
