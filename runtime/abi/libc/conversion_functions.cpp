// Numbers from text: libc reads up to the first character that does not belong to the number.
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

bool is_space(std::int64_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// `end` is where libc says that the number ends; the character there was looked at. Without a number that is
// the beginning, and spaces were passed over.
template <typename Char>
void reads_number(const ProgramCall& call, const Char* text, const Char* end) {
  if (text == nullptr || end == nullptr) return;
  if (end == text) {
    while (is_space(*end)) ++end;
  }
  call.reads(text, static_cast<std::size_t>(end - text + 1) * sizeof(Char));
}

template <typename Char>
void tells_end(const ProgramCall& call, Char** end, Char* found) {
  if (end == nullptr || found == nullptr) return;
  *end = found;
  call.writes_object(end);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::reads_number;
using heddle::abi::tells_end;

#define HEDDLE_CONVERTS(type, name, Char, parameters, arguments)                      \
  HEDDLE_INTERPOSE(type, name, const Char* text, Char** end HEDDLE_LIST parameters) { \
    const auto libc = HEDDLE_LIBC(name);                                              \
    const auto call = HEDDLE_PROGRAM_CALL(name);                                      \
    if (!call) return libc(text, end HEDDLE_LIST arguments);                          \
    Char* found = nullptr;                                                            \
    const type result = libc(text, &found HEDDLE_LIST arguments);                     \
    reads_number(call, text, found);                                                  \
    tells_end(call, end, found);                                                      \
    return result;                                                                    \
  }
#define HEDDLE_CONVERTS_INTEGER(type, name, Char) HEDDLE_CONVERTS(type, name, Char, (, int base), (, base))
#define HEDDLE_CONVERTS_INTEGER_BY_LOCALE(type, name, Char) \
  HEDDLE_CONVERTS(type, name, Char, (, int base, locale_t locale), (, base, locale))
#define HEDDLE_CONVERTS_FLOATING(type, name, Char) HEDDLE_CONVERTS(type, name, Char, (), ())
#define HEDDLE_CONVERTS_FLOATING_BY_LOCALE(type, name, Char) \
  HEDDLE_CONVERTS(type, name, Char, (, locale_t locale), (, locale))

HEDDLE_CONVERTS_INTEGER(long, strtol, char)
HEDDLE_CONVERTS_INTEGER(long long, strtoll, char)
HEDDLE_CONVERTS_INTEGER(unsigned long, strtoul, char)
HEDDLE_CONVERTS_INTEGER(unsigned long long, strtoull, char)
HEDDLE_CONVERTS_INTEGER(long long, strtoq, char)
HEDDLE_CONVERTS_INTEGER(unsigned long long, strtouq, char)
HEDDLE_CONVERTS_INTEGER(intmax_t, strtoimax, char)
HEDDLE_CONVERTS_INTEGER(uintmax_t, strtoumax, char)
HEDDLE_CONVERTS_INTEGER_BY_LOCALE(long, strtol_l, char)
HEDDLE_CONVERTS_INTEGER_BY_LOCALE(long long, strtoll_l, char)
HEDDLE_CONVERTS_INTEGER_BY_LOCALE(unsigned long, strtoul_l, char)
HEDDLE_CONVERTS_INTEGER_BY_LOCALE(unsigned long long, strtoull_l, char)
HEDDLE_CONVERTS_FLOATING(double, strtod, char)
HEDDLE_CONVERTS_FLOATING(float, strtof, char)
HEDDLE_CONVERTS_FLOATING(long double, strtold, char)
HEDDLE_CONVERTS_FLOATING_BY_LOCALE(double, strtod_l, char)
HEDDLE_CONVERTS_FLOATING_BY_LOCALE(float, strtof_l, char)
HEDDLE_CONVERTS_FLOATING_BY_LOCALE(long double, strtold_l, char)
HEDDLE_CONVERTS_INTEGER(long, wcstol, wchar_t)
HEDDLE_CONVERTS_INTEGER(long long, wcstoll, wchar_t)
HEDDLE_CONVERTS_INTEGER(unsigned long, wcstoul, wchar_t)
HEDDLE_CONVERTS_INTEGER(unsigned long long, wcstoull, wchar_t)
HEDDLE_CONVERTS_INTEGER(long long, wcstoq, wchar_t)
HEDDLE_CONVERTS_INTEGER(unsigned long long, wcstouq, wchar_t)
HEDDLE_CONVERTS_INTEGER(intmax_t, wcstoimax, wchar_t)
HEDDLE_CONVERTS_INTEGER(uintmax_t, wcstoumax, wchar_t)
HEDDLE_CONVERTS_INTEGER_BY_LOCALE(long, wcstol_l, wchar_t)
HEDDLE_CONVERTS_INTEGER_BY_LOCALE(long long, wcstoll_l, wchar_t)
HEDDLE_CONVERTS_INTEGER_BY_LOCALE(unsigned long, wcstoul_l, wchar_t)
HEDDLE_CONVERTS_INTEGER_BY_LOCALE(unsigned long long, wcstoull_l, wchar_t)
HEDDLE_CONVERTS_FLOATING(double, wcstod, wchar_t)
HEDDLE_CONVERTS_FLOATING(float, wcstof, wchar_t)
HEDDLE_CONVERTS_FLOATING(long double, wcstold, wchar_t)
HEDDLE_CONVERTS_FLOATING_BY_LOCALE(double, wcstod_l, wchar_t)
HEDDLE_CONVERTS_FLOATING_BY_LOCALE(float, wcstof_l, wchar_t)
HEDDLE_CONVERTS_FLOATING_BY_LOCALE(long double, wcstold_l, wchar_t)

// These do not say where the number ends: the function that they stand for does. It may set errno, which they
// do, too.
#define HEDDLE_CONVERTS_ALL(type, name, by)        \
  HEDDLE_INTERPOSE(type, name, const char* text) { \
    const auto call = HEDDLE_PROGRAM_CALL(name);   \
    if (!call) return HEDDLE_LIBC(name)(text);     \
    char* found = nullptr;                         \
    const auto result = static_cast<type>(by);     \
    reads_number(call, text, found);               \
    return result;                                 \
  }
HEDDLE_CONVERTS_ALL(int, atoi, HEDDLE_LIBC(strtol)(text, &found, 10))
HEDDLE_CONVERTS_ALL(long, atol, HEDDLE_LIBC(strtol)(text, &found, 10))
HEDDLE_CONVERTS_ALL(long long, atoll, HEDDLE_LIBC(strtoll)(text, &found, 10))
HEDDLE_CONVERTS_ALL(double, atof, HEDDLE_LIBC(strtod)(text, &found))
