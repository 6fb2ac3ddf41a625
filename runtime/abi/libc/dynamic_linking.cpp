// dlsym, where what it finds is a function of a library whose calls are watched. Which module asks matters to
// dlsym only with RTLD_DEFAULT and RTLD_NEXT: those requests are passed on with the caller's own return
// address, by a jump, and what they find is not watched.
#include "runtime/abi/engine_access.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/library_watch.h"

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): named by the assembly below
using HeddleDlsym = void*(void*, const char*);
__attribute__((visibility("hidden"))) HeddleDlsym* heddle_real_dlsym = nullptr;

__attribute__((visibility("hidden"))) void heddle_find_dlsym() {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5"}) {
    if (heddle_real_dlsym == nullptr)
      heddle_real_dlsym = reinterpret_cast<HeddleDlsym*>(dlvsym(RTLD_NEXT, "dlsym", version));
  }
  HEDDLE_CHECK(heddle_real_dlsym != nullptr);
}

__attribute__((visibility("hidden"))) void* heddle_watched_dlsym(void* handle, const char* name) {
  void* found = heddle_real_dlsym(handle, name);
  heddle::engine::Execution* e = heddle::abi::engine();
  if (found == nullptr || e == nullptr || !e->watching()) return found;
  heddle::engine::find_new_callers();
  return reinterpret_cast<void*>(heddle::engine::watched_address(reinterpret_cast<std::uint64_t>(found)));
}
// NOLINTEND(readability-identifier-naming)
}

__asm__(R"(
    .text
    .globl dlsym
    .type dlsym, @function
dlsym:
    .cfi_startproc
    cmpq $0, heddle_real_dlsym(%rip)
    jne 1f
    pushq %rdi
    .cfi_adjust_cfa_offset 8
    pushq %rsi
    .cfi_adjust_cfa_offset 8
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call heddle_find_dlsym
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rsi
    .cfi_adjust_cfa_offset -8
    popq %rdi
    .cfi_adjust_cfa_offset -8
1:
    leaq 1(%rdi), %rax          # RTLD_DEFAULT is 0, RTLD_NEXT -1
    cmpq $1, %rax
    ja heddle_watched_dlsym
    jmp *heddle_real_dlsym(%rip)
    .cfi_endproc
    .size dlsym, . - dlsym
)");
