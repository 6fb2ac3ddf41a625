// The string functions: each tells the bytes that it has to look at to do its work.
#include "runtime/abi/libc/compared_text.h"

using heddle::abi::ProgramCall;

namespace heddle::abi {
namespace {

std::size_t distance(const char* from, const char* to) { return static_cast<std::size_t>(to - from); }

std::size_t with_end(std::size_t length, std::size_t most) { return length < most ? length + 1 : most; }

constexpr std::size_t kNoLimit = ~std::size_t{0};

}  // namespace
}  // namespace heddle::abi

using heddle::length_within;
using heddle::abi::distance;
using heddle::abi::kNoLimit;
using heddle::abi::reads_compared;
using heddle::abi::reads_compared_without_case;
using heddle::abi::with_end;

HEDDLE_INTERPOSE_OFTEN(std::size_t, strlen, (const char* text), (text)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(strlen));
  const std::size_t length = HEDDLE_LIBC(strlen)(text);
  call.reads(text, length + 1);
  return length;
}

HEDDLE_INTERPOSE(std::size_t, strnlen, const char* text, std::size_t most) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strnlen);
  const std::size_t length = HEDDLE_LIBC(strnlen)(text, most);
  call.reads(text, with_end(length, most));
  return length;
}

HEDDLE_INTERPOSE(char*, strcpy, char* to, const char* from) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strcpy);
  char* result = HEDDLE_LIBC(strcpy)(to, from);
  if (call) {
    const std::size_t bytes = strlen(to) + 1;
    call.reads(from, bytes);
    call.writes(to, bytes);
  }
  return result;
}

HEDDLE_INTERPOSE(char*, stpcpy, char* to, const char* from) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(stpcpy);
  char* end = HEDDLE_LIBC(stpcpy)(to, from);
  call.reads(from, distance(to, end) + 1);
  call.writes(to, distance(to, end) + 1);
  return end;
}

HEDDLE_INTERPOSE(char*, strncpy, char* to, const char* from, std::size_t bytes) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strncpy);
  char* result = HEDDLE_LIBC(strncpy)(to, from, bytes);
  if (call) {
    call.reads(from, with_end(length_within(to, bytes), bytes));
    call.writes(to, bytes);
  }
  return result;
}

HEDDLE_INTERPOSE(char*, strcat, char* to, const char* from) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strcat);
  const std::size_t before = call ? strlen(to) : 0;
  char* result = HEDDLE_LIBC(strcat)(to, from);
  if (call) {
    const std::size_t added = strlen(to + before) + 1;
    call.reads(from, added);
    call.reads(to, before + 1);
    call.writes(to + before, added);
  }
  return result;
}

HEDDLE_INTERPOSE(char*, strncat, char* to, const char* from, std::size_t most) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strncat);
  const std::size_t before = call ? strlen(to) : 0;
  char* result = HEDDLE_LIBC(strncat)(to, from, most);
  if (call) {
    const std::size_t added = strlen(to + before);
    call.reads(from, with_end(added, most));
    call.reads(to, before + 1);
    call.writes(to + before, added + 1);
  }
  return result;
}

HEDDLE_INTERPOSE_OFTEN(int, strcmp, (const char* a, const char* b), (a, b)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(strcmp));
  const int result = HEDDLE_LIBC(strcmp)(a, b);
  reads_compared(call, a, b, kNoLimit);
  return result;
}

HEDDLE_INTERPOSE_OFTEN(int, strncmp, (const char* a, const char* b, std::size_t most), (a, b, most)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(strncmp));
  const int result = HEDDLE_LIBC(strncmp)(a, b, most);
  reads_compared(call, a, b, most);
  return result;
}

HEDDLE_INTERPOSE(int, strcasecmp, const char* a, const char* b) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strcasecmp);
  const int result = HEDDLE_LIBC(strcasecmp)(a, b);
  reads_compared_without_case(call, a, b, kNoLimit);
  return result;
}

HEDDLE_INTERPOSE(int, strncasecmp, const char* a, const char* b, std::size_t most) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strncasecmp);
  const int result = HEDDLE_LIBC(strncasecmp)(a, b, most);
  reads_compared_without_case(call, a, b, most);
  return result;
}

HEDDLE_INTERPOSE_OFTEN(char*, strchr, (const char* text, int c), (text, c)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(strchr));
  char* found = HEDDLE_LIBC(strchr)(text, c);
  if (call) call.reads(text, (found != nullptr ? distance(text, found) : strlen(text)) + 1);
  return found;
}

HEDDLE_INTERPOSE(char*, strchrnul, const char* text, int c) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strchrnul);
  char* found = HEDDLE_LIBC(strchrnul)(text, c);
  call.reads(text, distance(text, found) + 1);
  return found;
}

HEDDLE_INTERPOSE(char*, strrchr, const char* text, int c) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strrchr);
  char* found = HEDDLE_LIBC(strrchr)(text, c);
  if (call) call.reads(text, strlen(text) + 1);
  return found;
}

HEDDLE_INTERPOSE(char*, strstr, const char* text, const char* part) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strstr);
  char* found = HEDDLE_LIBC(strstr)(text, part);
  if (call) {
    const std::size_t length = strlen(part);
    call.reads(part, length + 1);
    call.reads(text, found != nullptr ? distance(text, found) + length : strlen(text) + 1);
  }
  return found;
}

HEDDLE_INTERPOSE(std::size_t, strspn, const char* text, const char* set) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strspn);
  const std::size_t length = HEDDLE_LIBC(strspn)(text, set);
  if (call) {
    call.reads(set, strlen(set) + 1);
    call.reads(text, length + 1);
  }
  return length;
}

HEDDLE_INTERPOSE(std::size_t, strcspn, const char* text, const char* set) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strcspn);
  const std::size_t length = HEDDLE_LIBC(strcspn)(text, set);
  if (call) {
    call.reads(set, strlen(set) + 1);
    call.reads(text, length + 1);
  }
  return length;
}

HEDDLE_INTERPOSE(char*, strpbrk, const char* text, const char* set) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strpbrk);
  char* found = HEDDLE_LIBC(strpbrk)(text, set);
  if (call) {
    call.reads(set, strlen(set) + 1);
    call.reads(text, (found != nullptr ? distance(text, found) : strlen(text)) + 1);
  }
  return found;
}

HEDDLE_INTERPOSE(char*, strdup, const char* text) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strdup);
  char* copy = HEDDLE_LIBC(strdup)(text);
  if (call && copy != nullptr) {
    const std::size_t bytes = strlen(copy) + 1;
    call.reads(text, bytes);
    call.writes(copy, bytes);
  }
  return copy;
}

HEDDLE_INTERPOSE(char*, strndup, const char* text, std::size_t most) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(strndup);
  char* copy = HEDDLE_LIBC(strndup)(text, most);
  if (call && copy != nullptr) {
    const std::size_t length = strlen(copy);
    call.reads(text, with_end(length, most));
    call.writes(copy, length + 1);
  }
  return copy;
}

// What _FORTIFY_SOURCE makes of them; `room` is what the compiler knows of the target's size.
HEDDLE_INTERPOSE(char*, __strcpy_chk, char* to, const char* from, std::size_t room) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(__strcpy_chk);
  char* result = HEDDLE_LIBC(__strcpy_chk)(to, from, room);
  if (call) {
    const std::size_t bytes = strlen(to) + 1;
    call.reads(from, bytes);
    call.writes(to, bytes);
  }
  return result;
}

HEDDLE_INTERPOSE(char*, __stpcpy_chk, char* to, const char* from, std::size_t room) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(__stpcpy_chk);
  char* end = HEDDLE_LIBC(__stpcpy_chk)(to, from, room);
  call.reads(from, distance(to, end) + 1);
  call.writes(to, distance(to, end) + 1);
  return end;
}

HEDDLE_INTERPOSE(char*, __strncpy_chk, char* to, const char* from, std::size_t bytes, std::size_t room) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(__strncpy_chk);
  char* result = HEDDLE_LIBC(__strncpy_chk)(to, from, bytes, room);
  if (call) {
    call.reads(from, with_end(length_within(to, bytes), bytes));
    call.writes(to, bytes);
  }
  return result;
}

HEDDLE_INTERPOSE(char*, __strcat_chk, char* to, const char* from, std::size_t room) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(__strcat_chk);
  const std::size_t before = call ? strlen(to) : 0;
  char* result = HEDDLE_LIBC(__strcat_chk)(to, from, room);
  if (call) {
    const std::size_t added = strlen(to + before) + 1;
    call.reads(from, added);
    call.reads(to, before + 1);
    call.writes(to + before, added);
  }
  return result;
}

namespace heddle::abi {

// Looked up before the first choice, so that forked executions need not.
void prepare_string_functions() {
  HEDDLE_LIBC(strlen);
  HEDDLE_LIBC(strcmp);
  HEDDLE_LIBC(strncmp);
  HEDDLE_LIBC(strcpy);
  HEDDLE_LIBC(strchr);
}

}  // namespace heddle::abi
