// Strings, the rest: splitting, comparing by locale, messages, and older names.
#include <locale.h>

#include "runtime/abi/libc/compared_text.h"

namespace heddle::abi {
namespace {

std::size_t between(const void* from, const void* to) {
  return static_cast<std::size_t>(static_cast<const char*>(to) - static_cast<const char*>(from));
}

// What strtok and strsep do to the text that they split: all up to the end of the piece is read, and the
// delimiter behind it is overwritten. `rest` is where the next piece begins; null: at the end.
void splits(const ProgramCall& call, const char* begin, const char* piece, const char* rest) {
  if (begin == nullptr) return;
  if (piece == nullptr) return call.reads_text(begin);
  const std::size_t end = between(begin, piece) + bytes_of_text(piece);
  call.reads(begin, end);
  if (rest != nullptr && between(begin, rest) == end) call.writes(begin + end - 1, 1);
}

bool is_in(const char* set, char c) {
  while (*set != '\0' && *set != c) ++set;
  return *set != '\0';
}

// Is there a delimiter behind the first piece of the text?
bool ends_by_delimiter(const char* text, const char* set) {
  while (*text != '\0' && is_in(set, *text)) ++text;
  while (*text != '\0' && !is_in(set, *text)) ++text;
  return *text != '\0';
}

// strtok's own place is one for all threads, which is why two of them must not use it at the same time
// (C11 7.24.5.8p6). It lies in libc; this byte stands for it.
char strtok_place;

// strxfrm answers how long the whole would be; what does not fit is undefined.
template <typename Char>
void transforms(const ProgramCall& call, const Char* to, const Char* from, std::size_t room,
                std::size_t length) {
  call.reads_text(from);
  if (length < room) call.writes(to, (length + 1) * sizeof(Char));
}

constexpr std::size_t kNoLimit = ~std::size_t{0};

}  // namespace
}  // namespace heddle::abi

using heddle::abi::between;
using heddle::abi::bytes_of_text;
using heddle::abi::ends_by_delimiter;
using heddle::abi::kNoLimit;
using heddle::abi::reads_compared_without_case;
using heddle::abi::splits;
using heddle::abi::strtok_place;
using heddle::abi::transforms;

// --- splitting

// Where strtok goes on, only libc knows; then the piece is told and not what was passed over before it.
HEDDLE_SEEN(
    char*, strtok, (char* text, const char* set), (text, set), call.reads_text(set);
    const bool has_end = text != nullptr && ends_by_delimiter(text, set), call.writes_object(&strtok_place);
    if (result == nullptr) call.reads_text(text); else {
      const char* const begin = text != nullptr ? text : result;
      splits(call, begin, result, has_end ? result + strlen(result) + 1 : nullptr);
    })
#define HEDDLE_SPLITS(name)                                                                                 \
  HEDDLE_SEEN(char*, name, (char* text, const char* set, char** rest), (text, set, rest),                   \
              call.reads_text(set);                                                                         \
              if (text == nullptr) call.reads_object(rest);                                                 \
              const char* const begin = text != nullptr ? text : *rest, splits(call, begin, result, *rest); \
              call.writes_object(rest))
HEDDLE_SPLITS(strtok_r)
HEDDLE_SPLITS(__strtok_r)
HEDDLE_SEEN(char*, strsep, (char** rest, const char* set), (rest, set), call.reads_text(set);
            call.reads_object(rest), splits(call, result, result, *rest);
            if (result != nullptr) call.writes_object(rest))

// --- searching and comparing

HEDDLE_SEEN(char*, strcasestr, (const char* text, const char* part), (text, part), HEDDLE_NOTHING,
            call.reads_text(part);
            if (result == nullptr) call.reads_text(text);
            else call.reads(text, between(text, result) + strlen(part)))
HEDDLE_SEEN(void*, memmem, (const void* in, std::size_t size, const void* part, std::size_t part_size),
            (in, size, part, part_size), HEDDLE_NOTHING, call.reads(part, part_size);
            call.reads(in, result != nullptr ? between(in, result) + part_size : size))
#define HEDDLE_SEARCHES(name)                                                      \
  HEDDLE_SEEN(void*, name, (const void* in, int byte), (in, byte), HEDDLE_NOTHING, \
              call.reads(in, between(in, result) + 1))
HEDDLE_SEARCHES(rawmemchr)
HEDDLE_SEARCHES(__rawmemchr)
#define HEDDLE_FINDS(name, after) \
  HEDDLE_SEEN(char*, name, (const char* text, int c), (text, c), HEDDLE_NOTHING, after)
HEDDLE_FINDS(index, if (result != nullptr) call.reads(text, between(text, result) + 1);
             else call.reads_text(text))
HEDDLE_FINDS(rindex, call.reads_text(text))
HEDDLE_SEEN(int, strcasecmp_l, (const char* a, const char* b, locale_t locale), (a, b, locale),
            HEDDLE_NOTHING, reads_compared_without_case(call, a, b, kNoLimit))
HEDDLE_SEEN(int, strncasecmp_l, (const char* a, const char* b, std::size_t most, locale_t locale),
            (a, b, most, locale), HEDDLE_NOTHING, reads_compared_without_case(call, a, b, most))
#define HEDDLE_COMPARES(name, Char, parameters, arguments)                      \
  HEDDLE_SEEN(int, name, (const Char* a, const Char* b HEDDLE_LIST parameters), \
              (a, b HEDDLE_LIST arguments), HEDDLE_NOTHING, call.reads_text(a); \
              call.reads_text(b))
HEDDLE_COMPARES(strcoll, char, (), ())
HEDDLE_COMPARES(strcoll_l, char, (, locale_t locale), (, locale))
HEDDLE_COMPARES(wcscoll, wchar_t, (), ())
HEDDLE_COMPARES(wcscoll_l, wchar_t, (, locale_t locale), (, locale))
HEDDLE_COMPARES(strverscmp, char, (), ())

#define HEDDLE_TRANSFORMS(name, Char, parameters, arguments)                                             \
  HEDDLE_SEEN(std::size_t, name, (Char * to, const Char* from, std::size_t room HEDDLE_LIST parameters), \
              (to, from, room HEDDLE_LIST arguments), HEDDLE_NOTHING,                                    \
              transforms(call, to, from, room, result))
HEDDLE_TRANSFORMS(strxfrm, char, (), ())
HEDDLE_TRANSFORMS(strxfrm_l, char, (, locale_t locale), (, locale))
HEDDLE_TRANSFORMS(__strxfrm_l, char, (, locale_t locale), (, locale))
HEDDLE_TRANSFORMS(wcsxfrm, wchar_t, (), ())
HEDDLE_TRANSFORMS(wcsxfrm_l, wchar_t, (, locale_t locale), (, locale))
HEDDLE_TRANSFORMS(__wcsxfrm_l, wchar_t, (, locale_t locale), (, locale))

// --- copying

HEDDLE_SEEN(void*, memccpy, (void* to, const void* from, int last, std::size_t most), (to, from, last, most),
            HEDDLE_NOTHING, const std::size_t bytes = result != nullptr ? between(to, result) : most;
            call.reads(from, bytes); call.writes(to, bytes))
#define HEDDLE_COPIES_PADDED(name, parameters, arguments)                                          \
  HEDDLE_SEEN(char*, name, (char* to, const char* from, std::size_t bytes HEDDLE_LIST parameters), \
              (to, from, bytes HEDDLE_LIST arguments), HEDDLE_NOTHING,                             \
              call.reads(from, bytes_of_text(to, bytes));                                          \
              call.writes(to, bytes))
HEDDLE_COPIES_PADDED(stpncpy, (), ())
HEDDLE_COPIES_PADDED(__stpncpy, (), ())
HEDDLE_COPIES_PADDED(__stpncpy_chk, (, std::size_t room), (, room))
HEDDLE_SEEN(char*, __strncat_chk, (char* to, const char* from, std::size_t most, std::size_t room),
            (to, from, most, room), const std::size_t before = strlen(to),
            const std::size_t added = strlen(to + before);
            call.reads(from, added < most ? added + 1 : most); call.reads(to, before + 1);
            call.writes(to + before, added + 1))
HEDDLE_SEEN(char*, __stpcpy, (char* to, const char* from), (to, from), HEDDLE_NOTHING,
            const std::size_t bytes = between(to, result) + 1;
            call.reads(from, bytes); call.writes(to, bytes))
HEDDLE_SEEN(void*, __mempcpy, (void* to, const void* from, std::size_t bytes), (to, from, bytes),
            HEDDLE_NOTHING, call.reads(from, bytes);
            call.writes(to, bytes))
HEDDLE_SEEN(int, __strcasecmp, (const char* a, const char* b), (a, b), HEDDLE_NOTHING,
            reads_compared_without_case(call, a, b, kNoLimit))
HEDDLE_SEEN(char*, __strdup, (const char* text), (text), HEDDLE_NOTHING, call.reads_text(text);
            call.writes_text(result))
HEDDLE_SEEN(char*, __strndup, (const char* text, std::size_t most), (text, most), HEDDLE_NOTHING,
            call.reads_text(text, most);
            call.writes_text(result))
HEDDLE_SEEN_VOID(bcopy, (const void* from, void* to, std::size_t bytes), (from, to, bytes), HEDDLE_NOTHING,
                 call.reads(from, bytes);
                 call.writes(to, bytes))
HEDDLE_SEEN_VOID(bzero, (void* to, std::size_t bytes), (to, bytes), HEDDLE_NOTHING, call.writes(to, bytes))
HEDDLE_SEEN_VOID(__bzero, (void* to, std::size_t bytes), (to, bytes), HEDDLE_NOTHING, call.writes(to, bytes))
HEDDLE_SEEN_VOID(explicit_bzero, (void* to, std::size_t bytes), (to, bytes), HEDDLE_NOTHING,
                 call.writes(to, bytes))
HEDDLE_SEEN_VOID(__explicit_bzero_chk, (void* to, std::size_t bytes, std::size_t room), (to, bytes, room),
                 HEDDLE_NOTHING, call.writes(to, bytes))
HEDDLE_SEEN_VOID(
    swab, (const void* from, void* to, ssize_t bytes), (from, to, bytes), HEDDLE_NOTHING, if (bytes > 1) {
      call.reads(from, static_cast<std::size_t>(bytes) & ~std::size_t{1});
      call.writes(to, static_cast<std::size_t>(bytes) & ~std::size_t{1});
    })
HEDDLE_SEEN(void*, memfrob, (void* at, std::size_t bytes), (at, bytes), HEDDLE_NOTHING,
            call.writes(at, bytes))
HEDDLE_SEEN(char*, strfry, (char* text), (text), HEDDLE_NOTHING, call.writes(text, strlen(text)))

// --- messages: libc's own text is its own, the program's buffer is not

HEDDLE_SEEN(char*, strerror_r, (int error, char* to, std::size_t room), (error, to, room), HEDDLE_NOTHING,
            if (result == to) call.writes_text(result))
HEDDLE_SEEN(int, __xpg_strerror_r, (int error, char* to, std::size_t room), (error, to, room), HEDDLE_NOTHING,
            if (result == 0) call.writes_text(to))
