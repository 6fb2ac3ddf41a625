// memcpy and its family: as libc's functions, which g++ and older clangs call, and as __tsan_mem*, which
// clang calls from version 16 on.
#include "runtime/abi/interposed_call.h"

using heddle::abi::ProgramCall;

HEDDLE_INTERPOSE_OFTEN(void*, memcpy, (void* to, const void* from, std::size_t bytes), (to, from, bytes)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(memcpy));
  void* result = HEDDLE_LIBC(memcpy)(to, from, bytes);
  call.reads(from, bytes);
  call.writes(to, bytes);
  return result;
}

HEDDLE_INTERPOSE_OFTEN(void*, memmove, (void* to, const void* from, std::size_t bytes), (to, from, bytes)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(memmove));
  void* result = HEDDLE_LIBC(memmove)(to, from, bytes);
  call.reads(from, bytes);
  call.writes(to, bytes);
  return result;
}

HEDDLE_INTERPOSE(void*, mempcpy, void* to, const void* from, std::size_t bytes) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(mempcpy);
  void* result = HEDDLE_LIBC(mempcpy)(to, from, bytes);
  call.reads(from, bytes);
  call.writes(to, bytes);
  return result;
}

HEDDLE_INTERPOSE_OFTEN(void*, memset, (void* to, int byte, std::size_t bytes), (to, byte, bytes)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(memset));
  void* result = HEDDLE_LIBC(memset)(to, byte, bytes);
  call.writes(to, bytes);
  return result;
}

// All bytes count as read, also those behind the first difference: libc may look at them.
HEDDLE_INTERPOSE_OFTEN(int, memcmp, (const void* a, const void* b, std::size_t bytes), (a, b, bytes)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(memcmp));
  const int result = HEDDLE_LIBC(memcmp)(a, b, bytes);
  call.reads(a, bytes);
  call.reads(b, bytes);
  return result;
}

HEDDLE_INTERPOSE_OFTEN(int, bcmp, (const void* a, const void* b, std::size_t bytes), (a, b, bytes)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(bcmp));
  const int result = HEDDLE_LIBC(bcmp)(a, b, bytes);
  call.reads(a, bytes);
  call.reads(b, bytes);
  return result;
}

HEDDLE_INTERPOSE_OFTEN(void*, memchr, (const void* in, int byte, std::size_t bytes), (in, byte, bytes)) {
  const ProgramCall call(pc, HEDDLE_FUNCTION(memchr));
  void* found = HEDDLE_LIBC(memchr)(in, byte, bytes);
  call.reads(in,
             found == nullptr
                 ? bytes
                 : static_cast<std::size_t>(static_cast<char*>(found) - static_cast<const char*>(in)) + 1);
  return found;
}

HEDDLE_INTERPOSE(void*, memrchr, const void* in, int byte, std::size_t bytes) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(memrchr);
  void* found = HEDDLE_LIBC(memrchr)(in, byte, bytes);
  const std::size_t skipped =
      found == nullptr ? 0
                       : static_cast<std::size_t>(static_cast<char*>(found) - static_cast<const char*>(in));
  call.reads(static_cast<const char*>(in) + skipped, bytes - skipped);
  return found;
}

// What _FORTIFY_SOURCE makes of them; `room` is what the compiler knows of the target's size.
HEDDLE_INTERPOSE(void*, __memcpy_chk, void* to, const void* from, std::size_t bytes, std::size_t room) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(__memcpy_chk);
  void* result = HEDDLE_LIBC(__memcpy_chk)(to, from, bytes, room);
  call.reads(from, bytes);
  call.writes(to, bytes);
  return result;
}

HEDDLE_INTERPOSE(void*, __memmove_chk, void* to, const void* from, std::size_t bytes, std::size_t room) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(__memmove_chk);
  void* result = HEDDLE_LIBC(__memmove_chk)(to, from, bytes, room);
  call.reads(from, bytes);
  call.writes(to, bytes);
  return result;
}

HEDDLE_INTERPOSE(void*, __mempcpy_chk, void* to, const void* from, std::size_t bytes, std::size_t room) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(__mempcpy_chk);
  void* result = HEDDLE_LIBC(__mempcpy_chk)(to, from, bytes, room);
  call.reads(from, bytes);
  call.writes(to, bytes);
  return result;
}

HEDDLE_INTERPOSE(void*, __memset_chk, void* to, int byte, std::size_t bytes, std::size_t room) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(__memset_chk);
  void* result = HEDDLE_LIBC(__memset_chk)(to, byte, bytes, room);
  call.writes(to, bytes);
  return result;
}

HEDDLE_EXPORT void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(memcpy);
  void* result = HEDDLE_LIBC(memcpy)(to, from, bytes);
  call.reads(from, bytes);
  call.writes(to, bytes);
  return result;
}

HEDDLE_EXPORT void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(memmove);
  void* result = HEDDLE_LIBC(memmove)(to, from, bytes);
  call.reads(from, bytes);
  call.writes(to, bytes);
  return result;
}

HEDDLE_EXPORT void* __tsan_memset(void* to, int byte, std::size_t bytes) {
  const ProgramCall call = HEDDLE_PROGRAM_CALL(memset);
  void* result = HEDDLE_LIBC(memset)(to, byte, bytes);
  call.writes(to, bytes);
  return result;
}

namespace heddle::abi {

// Looked up before the first choice, so that forked executions need not.
void prepare_memory_functions() {
  HEDDLE_LIBC(memcpy);
  HEDDLE_LIBC(memmove);
  HEDDLE_LIBC(memset);
  HEDDLE_LIBC(memcmp);
  HEDDLE_LIBC(memchr);
}

}  // namespace heddle::abi
