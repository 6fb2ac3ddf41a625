// Included before everything else in code that lives inside the tested program. The compiler may turn any
// struct copy into a call of memcpy; the exported memcpy is the program's, interposed and instrumented. The
// assembler names below send the runtime's own calls to private copies instead (g++ honours them for the
// calls it makes up itself).
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define HEDDLE_NOEXCEPT noexcept  // as <string.h> declares them
#else
#define HEDDLE_NOEXCEPT
#endif
void* memcpy(void* to, const void* from, size_t bytes) HEDDLE_NOEXCEPT __asm__("heddle_private_memcpy");
void* memmove(void* to, const void* from, size_t bytes) HEDDLE_NOEXCEPT __asm__("heddle_private_memmove");
void* memset(void* to, int byte, size_t bytes) HEDDLE_NOEXCEPT __asm__("heddle_private_memset");
int memcmp(const void* a, const void* b, size_t bytes) HEDDLE_NOEXCEPT __asm__("heddle_private_memcmp");
size_t strlen(const char* text) HEDDLE_NOEXCEPT __asm__("heddle_private_strlen");
#ifdef __cplusplus
}
#endif
