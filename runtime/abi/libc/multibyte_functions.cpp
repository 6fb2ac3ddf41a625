// Between multibyte and wide characters. A string's converted part is what lies before the place where the
// conversion stopped.
#include <limits.h>
#include <stdlib.h>
#include <wchar.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

constexpr auto kFailed = static_cast<std::size_t>(-1);
constexpr auto kIncomplete = static_cast<std::size_t>(-2);

// A state that the program gives; libc's own is libc's.
void changes_state(const ProgramCall& call, const mbstate_t* state) { call.writes_object(state); }

// Strings that begin at *from and are converted into `to`, which may be null: then only the length is asked
// for, and *from stays.
template <typename From, typename To>
class StringConversion {
 public:
  StringConversion(const ProgramCall& call, const From** from, const To* to)
      : call_(call), from_(from), to_(to) {
    call_.reads_object(from);
    begin_ = *from;
  }
  // `most` is how much of the source may be looked at, in its own characters.
  void done(std::size_t made, std::size_t room, const mbstate_t* state,
            std::size_t most = ~std::size_t{0}) const {
    changes_state(call_, state);
    if (to_ == nullptr) {
      if (made != kFailed) call_.reads_text(begin_, most);
      return;
    }
    call_.writes_object(from_);
    const From* const stopped = *from_;
    if (stopped == nullptr) {
      call_.reads_text(begin_, most);
    } else {
      call_.reads(begin_, static_cast<std::size_t>(stopped - begin_) * sizeof(From));
    }
    if (made == kFailed) return;
    const std::size_t with_end = made + (stopped == nullptr ? 1 : 0);
    call_.writes(to_, (with_end < room ? with_end : room) * sizeof(To));
  }

 private:
  const ProgramCall& call_;
  const From** from_;
  const To* to_;
  const From* begin_ = nullptr;
};

// A string that is converted as a whole; `made` characters of the target, and its end where there is room.
template <typename From, typename To>
void converts(const ProgramCall& call, const To* to, const From* from, std::size_t room, std::size_t made) {
  if (made == kFailed) return;
  if (to == nullptr || made < room) call.reads_text(from);
  if (to != nullptr) call.writes(to, (made < room ? made + 1 : room) * sizeof(To));
}

// One character.
void reads_character(const ProgramCall& call, const char* from, std::size_t most, std::size_t used) {
  if (from == nullptr) return;
  if (used == kIncomplete) return call.reads(from, most);
  if (used != kFailed) call.reads(from, used != 0 ? used : 1);
}
void reads_character(const ProgramCall& call, const char* from, int used) {
  if (from != nullptr && used >= 0) call.reads(from, used != 0 ? static_cast<std::size_t>(used) : 1);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::changes_state;
using heddle::abi::converts;
using heddle::abi::kFailed;
using heddle::abi::kIncomplete;
using heddle::abi::reads_character;
using heddle::abi::StringConversion;

#define HEDDLE_CONVERTS_STRING(name, From, To, parameters, arguments)                                  \
  HEDDLE_SEEN(std::size_t, name, (To * to, const From* from, std::size_t room HEDDLE_LIST parameters), \
              (to, from, room HEDDLE_LIST arguments), HEDDLE_NOTHING,                                  \
              converts(call, to, from, room, result))
HEDDLE_CONVERTS_STRING(mbstowcs, char, wchar_t, (), ())
HEDDLE_CONVERTS_STRING(wcstombs, wchar_t, char, (), ())
HEDDLE_CONVERTS_STRING(__mbstowcs_chk, char, wchar_t, (, std::size_t known), (, known))
HEDDLE_CONVERTS_STRING(__wcstombs_chk, wchar_t, char, (, std::size_t known), (, known))

#define HEDDLE_CONVERTS_ON(name, From, To, parameters, arguments)                                      \
  HEDDLE_SEEN(std::size_t, name,                                                                       \
              (To * to, const From** from, std::size_t room, mbstate_t* state HEDDLE_LIST parameters), \
              (to, from, room, state HEDDLE_LIST arguments),                                           \
              const StringConversion conversion(call, from, to), conversion.done(result, room, state))
HEDDLE_CONVERTS_ON(mbsrtowcs, char, wchar_t, (), ())
HEDDLE_CONVERTS_ON(wcsrtombs, wchar_t, char, (), ())
HEDDLE_CONVERTS_ON(__mbsrtowcs_chk, char, wchar_t, (, std::size_t known), (, known))
HEDDLE_CONVERTS_ON(__wcsrtombs_chk, wchar_t, char, (, std::size_t known), (, known))

#define HEDDLE_CONVERTS_PART(name, From, To, parameters, arguments)            \
  HEDDLE_SEEN(std::size_t, name,                                               \
              (To * to, const From** from, std::size_t most, std::size_t room, \
               mbstate_t* state HEDDLE_LIST parameters),                       \
              (to, from, most, room, state HEDDLE_LIST arguments),             \
              const StringConversion conversion(call, from, to), conversion.done(result, room, state, most))
HEDDLE_CONVERTS_PART(mbsnrtowcs, char, wchar_t, (), ())
HEDDLE_CONVERTS_PART(wcsnrtombs, wchar_t, char, (), ())
HEDDLE_CONVERTS_PART(__mbsnrtowcs_chk, char, wchar_t, (, std::size_t known), (, known))
HEDDLE_CONVERTS_PART(__wcsnrtombs_chk, wchar_t, char, (, std::size_t known), (, known))

// (The headers call some by a name with two underscores.)
#define HEDDLE_READS_CHARACTER(name)                                                                   \
  HEDDLE_SEEN(std::size_t, name, (wchar_t * to, const char* from, std::size_t most, mbstate_t* state), \
              (to, from, most, state), HEDDLE_NOTHING, reads_character(call, from, most, result);      \
              if (from != nullptr && result < kIncomplete) call.writes_object(to);                     \
              changes_state(call, state))
HEDDLE_READS_CHARACTER(mbrtowc)
HEDDLE_READS_CHARACTER(__mbrtowc)
#define HEDDLE_MEASURES_CHARACTER(name)                                                       \
  HEDDLE_SEEN(std::size_t, name, (const char* from, std::size_t most, mbstate_t* state),      \
              (from, most, state), HEDDLE_NOTHING, reads_character(call, from, most, result); \
              changes_state(call, state))
HEDDLE_MEASURES_CHARACTER(mbrlen)
HEDDLE_MEASURES_CHARACTER(__mbrlen)
HEDDLE_SEEN(int, mbtowc, (wchar_t * to, const char* from, std::size_t most), (to, from, most), HEDDLE_NOTHING,
            reads_character(call, from, result);
            if (from != nullptr && result >= 0) call.writes_object(to))
HEDDLE_SEEN(int, mblen, (const char* from, std::size_t most), (from, most), HEDDLE_NOTHING,
            reads_character(call, from, result))
#define HEDDLE_MAKES_CHARACTER(name, parameters, arguments)                                      \
  HEDDLE_SEEN(std::size_t, name, (char* to, wchar_t c, mbstate_t* state HEDDLE_LIST parameters), \
              (to, c, state HEDDLE_LIST arguments), HEDDLE_NOTHING,                              \
              if (to != nullptr && result != kFailed) call.writes(to, result);                   \
              changes_state(call, state))
HEDDLE_MAKES_CHARACTER(wcrtomb, (), ())
HEDDLE_MAKES_CHARACTER(__wcrtomb_chk, (, std::size_t known), (, known))
HEDDLE_SEEN(int, wctomb, (char* to, wchar_t c), (to, c), HEDDLE_NOTHING,
            if (to != nullptr && result > 0) call.writes(to, static_cast<std::size_t>(result)))
HEDDLE_SEEN(int, __wctomb_chk, (char* to, wchar_t c, std::size_t known), (to, c, known), HEDDLE_NOTHING,
            if (to != nullptr && result > 0) call.writes(to, static_cast<std::size_t>(result)))
