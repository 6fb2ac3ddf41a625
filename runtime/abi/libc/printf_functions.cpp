// printf and its relatives: the format, the strings that it prints, the targets of %n, and what is made.
#include <wchar.h>

#include "runtime/abi/interposed_call.h"

struct obstack;  // <obstack.h> declares what the runtime has its own of

namespace heddle::abi {
namespace {

// Tells of one call. `print` makes it and answers what libc does.
template <typename Char, typename Print>
int printed(const ProgramCall& call, const Char* format, va_list arguments, Print print) {
  FormatAccesses found;
  if (call && format != nullptr) {
    call.reads_text(format);
    find_printf_accesses(format, arguments, found);
  }
  for (const FormatAccess& access : found) {
    if (!access.is_write) call.reads(access.memory, access.bytes);
  }
  const int result = print();
  if (result < 0) return result;
  for (const FormatAccess& access : found) {
    if (access.is_write) call.writes(access.memory, access.bytes);
  }
  return result;
}

template <typename Char, typename Print>
int printed_to(const ProgramCall& call, const FILE* stream, const Char* format, va_list arguments,
               Print print) {
  call.uses_stream(stream);
  return printed(call, format, arguments, print);
}

// Into a buffer with `room` characters.
template <typename Char, typename Print>
int printed_into(const ProgramCall& call, Char* to, std::size_t room, const Char* format, va_list arguments,
                 Print print) {
  const int result = printed(call, format, arguments, print);
  if (result < 0 || room == 0) return result;
  const auto characters = static_cast<std::size_t>(result) + 1;
  call.writes(to, (characters < room ? characters : room) * sizeof(Char));
  return result;
}

// Into a block that libc allocates.
template <typename Print>
int printed_anew(const ProgramCall& call, char** to, const char* format, va_list arguments, Print print) {
  const int result = printed(call, format, arguments, print);
  if (result < 0) return result;
  call.writes_object(to);
  if (call) call.writes(*to, static_cast<std::size_t>(result) + 1);
  return result;
}

constexpr std::size_t kNoLimit = ~std::size_t{0};

}  // namespace
}  // namespace heddle::abi

using heddle::abi::kNoLimit;
using heddle::abi::printed;
using heddle::abi::printed_anew;
using heddle::abi::printed_into;
using heddle::abi::printed_to;

// The function that takes a list of arguments, and the one that takes the arguments themselves and calls it.
// `how` tells of the call, with `call` before its arguments and `print` after them.
#define HEDDLE_PRINTS(list_name, name, last, parameters, passed, how)                    \
  HEDDLE_INTERPOSE(int, list_name, HEDDLE_LIST parameters, va_list list) {               \
    const auto call = HEDDLE_PROGRAM_CALL(list_name);                                    \
    const auto print = [&] { return HEDDLE_LIBC(list_name)(HEDDLE_LIST passed, list); }; \
    return how;                                                                          \
  }                                                                                      \
  HEDDLE_INTERPOSE(int, name, HEDDLE_LIST parameters, ...) {                             \
    const auto call = HEDDLE_PROGRAM_CALL(name);                                         \
    va_list list;                                                                        \
    va_start(list, last);                                                                \
    const auto print = [&] { return HEDDLE_LIBC(list_name)(HEDDLE_LIST passed, list); }; \
    const int result = how;                                                              \
    va_end(list);                                                                        \
    return result;                                                                       \
  }

// clang-format off
HEDDLE_PRINTS(vprintf, printf, format, (const char* format), (format), printed_to(call, stdout, format, list, print))
HEDDLE_PRINTS(vfprintf, fprintf, format, (FILE* stream, const char* format), (stream, format), printed_to(call, stream, format, list, print))
HEDDLE_PRINTS(vdprintf, dprintf, format, (int descriptor, const char* format), (descriptor, format), printed(call, format, list, print))
HEDDLE_PRINTS(vsprintf, sprintf, format, (char* to, const char* format), (to, format), printed_into(call, to, kNoLimit, format, list, print))
HEDDLE_PRINTS(vsnprintf, snprintf, format, (char* to, std::size_t room, const char* format), (to, room, format), printed_into(call, to, room, format, list, print))
HEDDLE_PRINTS(vasprintf, asprintf, format, (char** to, const char* format), (to, format), printed_anew(call, to, format, list, print))
HEDDLE_PRINTS(obstack_vprintf, obstack_printf, format, (obstack* to, const char* format), (to, format), printed(call, format, list, print))
HEDDLE_PRINTS(vwprintf, wprintf, format, (const wchar_t* format), (format), printed_to(call, stdout, format, list, print))
HEDDLE_PRINTS(vfwprintf, fwprintf, format, (FILE* stream, const wchar_t* format), (stream, format), printed_to(call, stream, format, list, print))
HEDDLE_PRINTS(vswprintf, swprintf, format, (wchar_t* to, std::size_t room, const wchar_t* format), (to, room, format), printed_into(call, to, room, format, list, print))

// What _FORTIFY_SOURCE makes of them; `flag` says how strict to be, `known` what the compiler knows of the target's size.
HEDDLE_PRINTS(__vprintf_chk, __printf_chk, format, (int flag, const char* format), (flag, format), printed_to(call, stdout, format, list, print))
HEDDLE_PRINTS(__vfprintf_chk, __fprintf_chk, format, (FILE* stream, int flag, const char* format), (stream, flag, format), printed_to(call, stream, format, list, print))
HEDDLE_PRINTS(__vdprintf_chk, __dprintf_chk, format, (int descriptor, int flag, const char* format), (descriptor, flag, format), printed(call, format, list, print))
HEDDLE_PRINTS(__vsprintf_chk, __sprintf_chk, format, (char* to, int flag, std::size_t known, const char* format), (to, flag, known, format), printed_into(call, to, kNoLimit, format, list, print))
HEDDLE_PRINTS(__vsnprintf_chk, __snprintf_chk, format, (char* to, std::size_t room, int flag, std::size_t known, const char* format), (to, room, flag, known, format), printed_into(call, to, room, format, list, print))
HEDDLE_PRINTS(__vasprintf_chk, __asprintf_chk, format, (char** to, int flag, const char* format), (to, flag, format), printed_anew(call, to, format, list, print))
HEDDLE_PRINTS(__obstack_vprintf_chk, __obstack_printf_chk, format, (obstack* to, int flag, const char* format), (to, flag, format), printed(call, format, list, print))
HEDDLE_PRINTS(__vwprintf_chk, __wprintf_chk, format, (int flag, const wchar_t* format), (flag, format), printed_to(call, stdout, format, list, print))
HEDDLE_PRINTS(__vfwprintf_chk, __fwprintf_chk, format, (FILE* stream, int flag, const wchar_t* format), (stream, flag, format), printed_to(call, stream, format, list, print))
HEDDLE_PRINTS(__vswprintf_chk, __swprintf_chk, format, (wchar_t* to, std::size_t room, int flag, std::size_t known, const wchar_t* format), (to, room, flag, known, format), printed_into(call, to, room, format, list, print))
// clang-format on

// The system's log. Nothing is answered.
HEDDLE_INTERPOSE(void, vsyslog, int priority, const char* format, va_list list) {
  const auto call = HEDDLE_PROGRAM_CALL(vsyslog);
  printed(call, format, list, [&] { return HEDDLE_LIBC(vsyslog)(priority, format, list), 0; });
}
HEDDLE_INTERPOSE(void, syslog, int priority, const char* format, ...) {
  const auto call = HEDDLE_PROGRAM_CALL(syslog);
  va_list list;
  va_start(list, format);
  printed(call, format, list, [&] { return HEDDLE_LIBC(vsyslog)(priority, format, list), 0; });
  va_end(list);
}
HEDDLE_INTERPOSE(void, __vsyslog_chk, int priority, int flag, const char* format, va_list list) {
  const auto call = HEDDLE_PROGRAM_CALL(__vsyslog_chk);
  printed(call, format, list, [&] { return HEDDLE_LIBC(__vsyslog_chk)(priority, flag, format, list), 0; });
}
HEDDLE_INTERPOSE(void, __syslog_chk, int priority, int flag, const char* format, ...) {
  const auto call = HEDDLE_PROGRAM_CALL(__syslog_chk);
  va_list list;
  va_start(list, format);
  printed(call, format, list, [&] { return HEDDLE_LIBC(__vsyslog_chk)(priority, flag, format, list), 0; });
  va_end(list);
}
