// What printf, scanf and their relatives do with the memory that their arguments point to. The formats are
// walked as glibc 2.36 reads them (C11 7.21.6.1 and 7.21.6.2, POSIX positions, GNU's additions); a format
// that glibc would refuse, or that a program has taught it, ends the walk: what is not understood is not
// told.
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include <cstddef>
#include <cstdint>

namespace heddle::abi {

struct FormatAccess {
  const void* memory;
  std::size_t bytes;
  bool is_write;
};

// What one call accesses; more than fits is not told.
class FormatAccesses {
 public:
  static constexpr std::uint32_t kMost = 64;
  void add(const void* memory, std::size_t bytes, bool is_write) {
    if (memory != nullptr && bytes != 0 && count_ < kMost) accesses_[count_++] = {memory, bytes, is_write};
  }
  const FormatAccess* begin() const { return accesses_; }
  const FormatAccess* end() const { return accesses_ + count_; }
  std::uint32_t size() const { return count_; }

 private:
  FormatAccess accesses_[kMost];
  std::uint32_t count_ = 0;
};

// The strings that are printed and the targets of %n. To be asked before the call. `arguments` stays as it
// is.
void find_printf_accesses(const char* format, va_list arguments, FormatAccesses& found);
void find_printf_accesses(const wchar_t* format, va_list arguments, FormatAccesses& found);

// How scanf reads its format.
enum class ScanDialect : std::uint8_t {
  kIso,  // __isoc99_scanf: %a is a floating-point number
  kGnu,  // scanf: %as, %aS and %a[ allocate, as %ms does everywhere
};

// What was assigned, after a call that has answered `assigned`. `arguments` stays as it is.
void find_scanf_accesses(const char* format, va_list arguments, int assigned, ScanDialect dialect,
                         FormatAccesses& found);
void find_scanf_accesses(const wchar_t* format, va_list arguments, int assigned, ScanDialect dialect,
                         FormatAccesses& found);

// How many bytes lie in a string and its end, at most `most`.
std::size_t bytes_of_text(const char* text, std::size_t most = ~std::size_t{0});
// How many bytes lie in a wide string and its end, at most `most` characters.
std::size_t bytes_of_text(const wchar_t* text, std::size_t most = ~std::size_t{0});

}  // namespace heddle::abi
