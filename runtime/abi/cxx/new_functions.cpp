// operator new and operator delete, all forms of the standard library ([new.delete]). A program that replaces
// them has its own. They are here so that the allocation is told of the place that asked for it, and not of
// the library's operator new.
//
// Where memory runs out the library's own function is called: it knows the new handler, and throws.
#include <cstddef>

#include "runtime/abi/libc/heap_functions.h"

namespace {

using heddle::abi::in_session;

// Without declarations of <new>, whose functions these are.
enum class Alignment : std::size_t {};
struct NoThrow;

constexpr std::size_t kUsualAlignment = 16;

void* allocate(std::size_t size, Alignment alignment, std::uint64_t pc) {
  if (!in_session()) return nullptr;
  const auto least = static_cast<std::size_t>(alignment);
  return heddle::abi::allocate(size, least < kUsualAlignment ? kUsualAlignment : least,
                               heddle::heap::Allocator::kNew, pc);
}

void release(void* pointer, std::uint64_t pc) {
  const int kept = errno;
  heddle::abi::release(pointer, pc);
  errno = kept;
}

// The library's function of the same name.
template <typename Function>
Function* of_library(Function*& known, const char* name) {
  if (known == nullptr) known = heddle::abi::next_function<Function>(name);
  return known;
}

}  // namespace

#define HEDDLE_NEW(name, parameters, arguments, alignment)                                      \
  HEDDLE_EXPORT void* name parameters {                                                         \
    static void*(*real)parameters = nullptr;                                                    \
    if (void* made = allocate(size, alignment, HEDDLE_CALLER_PC); made != nullptr) return made; \
    return of_library(real, #name) arguments;                                                   \
  }

HEDDLE_NEW(_Znwm, (std::size_t size), (size), Alignment{})
HEDDLE_NEW(_Znam, (std::size_t size), (size), Alignment{})
HEDDLE_NEW(_ZnwmRKSt9nothrow_t, (std::size_t size, const NoThrow& tag), (size, tag), Alignment{})
HEDDLE_NEW(_ZnamRKSt9nothrow_t, (std::size_t size, const NoThrow& tag), (size, tag), Alignment{})
HEDDLE_NEW(_ZnwmSt11align_val_t, (std::size_t size, Alignment a), (size, a), a)
HEDDLE_NEW(_ZnamSt11align_val_t, (std::size_t size, Alignment a), (size, a), a)
HEDDLE_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (std::size_t size, Alignment a, const NoThrow& tag),
           (size, a, tag), a)
HEDDLE_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (std::size_t size, Alignment a, const NoThrow& tag),
           (size, a, tag), a)

// What was allocated before the session was known is libc's; free() tells the two apart.
#define HEDDLE_DELETE(name, parameters)        \
  HEDDLE_EXPORT void name parameters {         \
    if (!in_session()) return ::free(pointer); \
    release(pointer, HEDDLE_CALLER_PC);        \
  }

HEDDLE_DELETE(_ZdlPv, (void* pointer))
HEDDLE_DELETE(_ZdaPv, (void* pointer))
HEDDLE_DELETE(_ZdlPvm, (void* pointer, std::size_t))
HEDDLE_DELETE(_ZdaPvm, (void* pointer, std::size_t))
HEDDLE_DELETE(_ZdlPvRKSt9nothrow_t, (void* pointer, const NoThrow&))
HEDDLE_DELETE(_ZdaPvRKSt9nothrow_t, (void* pointer, const NoThrow&))
HEDDLE_DELETE(_ZdlPvSt11align_val_t, (void* pointer, Alignment))
HEDDLE_DELETE(_ZdaPvSt11align_val_t, (void* pointer, Alignment))
HEDDLE_DELETE(_ZdlPvmSt11align_val_t, (void* pointer, std::size_t, Alignment))
HEDDLE_DELETE(_ZdaPvmSt11align_val_t, (void* pointer, std::size_t, Alignment))
HEDDLE_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void* pointer, Alignment, const NoThrow&))
HEDDLE_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void* pointer, Alignment, const NoThrow&))
