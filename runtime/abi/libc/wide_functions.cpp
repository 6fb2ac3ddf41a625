// Wide strings: as string_functions.cpp and memory_functions.cpp, with characters of four bytes.
#include <wchar.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

constexpr std::size_t kNoLimit = ~std::size_t{0};
constexpr std::size_t kWide = sizeof(wchar_t);

std::size_t between(const wchar_t* from, const wchar_t* to) {
  return static_cast<std::size_t>(to - from) * kWide;
}

wchar_t as_is(wchar_t c) { return c; }
wchar_t lower(wchar_t c) { return c >= L'A' && c <= L'Z' ? c - L'A' + L'a' : c; }

// Notes that both texts are read, up to where a comparison ends.
template <wchar_t (*kFold)(wchar_t)>
void reads_compared(const ProgramCall& call, const wchar_t* a, const wchar_t* b, std::size_t most) {
  std::size_t count = 0;
  while (count < most) {
    const wchar_t x = a[count], y = b[count];
    ++count;
    if (kFold(x) != kFold(y) || x == 0) break;
  }
  call.reads(a, count * kWide);
  call.reads(b, count * kWide);
}

void copies(const ProgramCall& call, const wchar_t* to, const wchar_t* from, std::size_t bytes) {
  call.reads(from, bytes);
  call.writes(to, bytes);
}

// Up to what was found, else all.
void reads_until(const ProgramCall& call, const wchar_t* text, const wchar_t* found) {
  call.reads(text, found != nullptr ? between(text, found) + kWide : bytes_of_text(text));
}

// After from was added behind the `before` bytes of to.
void appends(const ProgramCall& call, const wchar_t* to, const wchar_t* from, std::size_t before,
             std::size_t most) {
  const wchar_t* const end = to + before / kWide - 1;
  const std::size_t added = bytes_of_text(end);
  const std::size_t read = added / kWide - 1 < most ? added : most * kWide;
  call.reads(from, read);
  call.reads(to, before);
  call.writes(end, added);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::appends;
using heddle::abi::as_is;
using heddle::abi::between;
using heddle::abi::bytes_of_text;
using heddle::abi::copies;
using heddle::abi::kNoLimit;
using heddle::abi::kWide;
using heddle::abi::lower;
using heddle::abi::reads_compared;
using heddle::abi::reads_until;

HEDDLE_SEEN(std::size_t, wcslen, (const wchar_t* text), (text), HEDDLE_NOTHING,
            call.reads(text, (result + 1) * kWide))
HEDDLE_SEEN(std::size_t, wcsnlen, (const wchar_t* text, std::size_t most), (text, most), HEDDLE_NOTHING,
            call.reads(text, (result < most ? result + 1 : most) * kWide))

// --- copying; `room` is what the compiler knows of the target's size under _FORTIFY_SOURCE

#define HEDDLE_WIDE_COPY(name, parameters, arguments)                                     \
  HEDDLE_SEEN(wchar_t*, name, (wchar_t * to, const wchar_t* from HEDDLE_LIST parameters), \
              (to, from HEDDLE_LIST arguments), HEDDLE_NOTHING, copies(call, to, from, bytes_of_text(to)))
HEDDLE_WIDE_COPY(wcscpy, (), ())
HEDDLE_WIDE_COPY(wcpcpy, (), ())
HEDDLE_WIDE_COPY(__wcscpy_chk, (, std::size_t room), (, room))
HEDDLE_WIDE_COPY(__wcpcpy_chk, (, std::size_t room), (, room))

#define HEDDLE_WIDE_COPY_PADDED(name, parameters, arguments)                                                 \
  HEDDLE_SEEN(wchar_t*, name, (wchar_t * to, const wchar_t* from, std::size_t count HEDDLE_LIST parameters), \
              (to, from, count HEDDLE_LIST arguments), HEDDLE_NOTHING,                                       \
              call.reads(from, bytes_of_text(to, count));                                                    \
              call.writes(to, count * kWide))
HEDDLE_WIDE_COPY_PADDED(wcsncpy, (), ())
HEDDLE_WIDE_COPY_PADDED(wcpncpy, (), ())
HEDDLE_WIDE_COPY_PADDED(__wcsncpy_chk, (, std::size_t room), (, room))
HEDDLE_WIDE_COPY_PADDED(__wcpncpy_chk, (, std::size_t room), (, room))

#define HEDDLE_WIDE_APPEND(name, most, parameters, arguments)                                 \
  HEDDLE_SEEN(wchar_t*, name, (wchar_t * to, const wchar_t* from HEDDLE_LIST parameters),     \
              (to, from HEDDLE_LIST arguments), const std::size_t before = bytes_of_text(to), \
              appends(call, to, from, before, most))
HEDDLE_WIDE_APPEND(wcscat, kNoLimit, (), ())
HEDDLE_WIDE_APPEND(wcsncat, count, (, std::size_t count), (, count))
HEDDLE_WIDE_APPEND(__wcscat_chk, kNoLimit, (, std::size_t room), (, room))
HEDDLE_WIDE_APPEND(__wcsncat_chk, count, (, std::size_t count, std::size_t room), (, count, room))

#define HEDDLE_WIDE_BLOCK_COPY(name, parameters, arguments)                                                  \
  HEDDLE_SEEN(wchar_t*, name, (wchar_t * to, const wchar_t* from, std::size_t count HEDDLE_LIST parameters), \
              (to, from, count HEDDLE_LIST arguments), HEDDLE_NOTHING, copies(call, to, from, count* kWide))
HEDDLE_WIDE_BLOCK_COPY(wmemcpy, (), ())
HEDDLE_WIDE_BLOCK_COPY(wmempcpy, (), ())
HEDDLE_WIDE_BLOCK_COPY(wmemmove, (), ())
HEDDLE_WIDE_BLOCK_COPY(__wmemcpy_chk, (, std::size_t room), (, room))
HEDDLE_WIDE_BLOCK_COPY(__wmempcpy_chk, (, std::size_t room), (, room))
HEDDLE_WIDE_BLOCK_COPY(__wmemmove_chk, (, std::size_t room), (, room))
HEDDLE_SEEN(wchar_t*, wmemset, (wchar_t * to, wchar_t c, std::size_t count), (to, c, count), HEDDLE_NOTHING,
            call.writes(to, count* kWide))
HEDDLE_SEEN(wchar_t*, __wmemset_chk, (wchar_t * to, wchar_t c, std::size_t count, std::size_t room),
            (to, c, count, room), HEDDLE_NOTHING, call.writes(to, count* kWide))
HEDDLE_SEEN(wchar_t*, wcsdup, (const wchar_t* text), (text), HEDDLE_NOTHING, call.reads_text(text);
            call.writes_text(result))

// --- comparing and searching

HEDDLE_SEEN(int, wcscmp, (const wchar_t* a, const wchar_t* b), (a, b), HEDDLE_NOTHING,
            reads_compared<as_is>(call, a, b, kNoLimit))
HEDDLE_SEEN(int, wcsncmp, (const wchar_t* a, const wchar_t* b, std::size_t most), (a, b, most),
            HEDDLE_NOTHING, reads_compared<as_is>(call, a, b, most))
HEDDLE_SEEN(int, wcscasecmp, (const wchar_t* a, const wchar_t* b), (a, b), HEDDLE_NOTHING,
            reads_compared<lower>(call, a, b, kNoLimit))
HEDDLE_SEEN(int, wcsncasecmp, (const wchar_t* a, const wchar_t* b, std::size_t most), (a, b, most),
            HEDDLE_NOTHING, reads_compared<lower>(call, a, b, most))
// All count as read, also those behind the first difference: libc may look at them.
HEDDLE_SEEN(int, wmemcmp, (const wchar_t* a, const wchar_t* b, std::size_t count), (a, b, count),
            HEDDLE_NOTHING, call.reads(a, count* kWide);
            call.reads(b, count* kWide))
HEDDLE_SEEN(wchar_t*, wmemchr, (const wchar_t* in, wchar_t c, std::size_t count), (in, c, count),
            HEDDLE_NOTHING, call.reads(in, result != nullptr ? between(in, result) + kWide : count * kWide))
HEDDLE_SEEN(wchar_t*, wcschr, (const wchar_t* text, wchar_t c), (text, c), HEDDLE_NOTHING,
            reads_until(call, text, result))
HEDDLE_SEEN(wchar_t*, wcschrnul, (const wchar_t* text, wchar_t c), (text, c), HEDDLE_NOTHING,
            reads_until(call, text, result))
HEDDLE_SEEN(wchar_t*, wcsrchr, (const wchar_t* text, wchar_t c), (text, c), HEDDLE_NOTHING,
            call.reads_text(text))
#define HEDDLE_WIDE_PART(name)                                                                          \
  HEDDLE_SEEN(wchar_t*, name, (const wchar_t* text, const wchar_t* part), (text, part), HEDDLE_NOTHING, \
              call.reads_text(part);                                                                    \
              if (result == nullptr) call.reads_text(text);                                             \
              else call.reads(text, between(text, result) + bytes_of_text(part) - kWide))
HEDDLE_WIDE_PART(wcsstr)
HEDDLE_WIDE_PART(wcswcs)
HEDDLE_SEEN(std::size_t, wcsspn, (const wchar_t* text, const wchar_t* set), (text, set), HEDDLE_NOTHING,
            call.reads_text(set);
            call.reads(text, (result + 1) * kWide))
HEDDLE_SEEN(std::size_t, wcscspn, (const wchar_t* text, const wchar_t* set), (text, set), HEDDLE_NOTHING,
            call.reads_text(set);
            call.reads(text, (result + 1) * kWide))
HEDDLE_SEEN(wchar_t*, wcspbrk, (const wchar_t* text, const wchar_t* set), (text, set), HEDDLE_NOTHING,
            call.reads_text(set);
            reads_until(call, text, result))
HEDDLE_SEEN(
    wchar_t*, wcstok, (wchar_t * text, const wchar_t* set, wchar_t** rest), (text, set, rest),
    call.reads_text(set);
    if (text == nullptr) call.reads_object(rest);
    const wchar_t* const begin = text != nullptr ? text : *rest, if (begin != nullptr) {
      const wchar_t* const end = result != nullptr ? result + bytes_of_text(result) / kWide - 1 : nullptr;
      if (end == nullptr)
        call.reads_text(begin);
      else
        call.reads(begin, between(begin, end) + kWide);
      if (end != nullptr && *rest == end + 1) call.writes(end, kWide);
      call.writes_object(rest);
    })
