// Streams: the program's bytes that libc copies out of and into them. What a FILE holds itself is libc's, and
// is locked there.
#include <wchar.h>

#include "runtime/abi/interposed_call.h"
#include "runtime/abi/libc/memory_streams.h"

namespace heddle::abi {
namespace {

constexpr std::size_t kMostOfCall = std::size_t{1} << 40;  // no buffer is larger: the call will fault

void reads_elements(const ProgramCall& call, const void* from, std::size_t size, std::size_t count) {
  std::size_t bytes = 0;
  if (!__builtin_mul_overflow(size, count, &bytes) && bytes < kMostOfCall) call.reads(from, bytes);
}

// A line that was read: its buffer belongs to the program and was filled up to `length`. Where the pointer
// and its size stayed what they were libc has only read them.
struct LineBuffer {
  LineBuffer(const ProgramCall& program_call, char** text, std::size_t* size)
      : call(program_call), at(text), n(size) {
    if (at == nullptr || n == nullptr) return;
    call.reads_object(at);
    call.reads_object(n);
    old_text = *at;
    old_size = *n;
  }
  void filled(ssize_t length) const {
    if (at == nullptr || n == nullptr) return;
    if (*at != old_text) call.writes_object(at);
    if (*n != old_size) call.writes_object(n);
    if (length >= 0) call.writes(*at, static_cast<std::size_t>(length) + 1);
  }
  const ProgramCall& call;
  char** at;
  std::size_t* n;
  char* old_text = nullptr;
  std::size_t old_size = 0;
};

// flockfile is a lock of the program's (POSIX flockfile). The locks that libc takes inside one call order
// nothing here: they would hide what only happens to be printed in order.
sched::SyncObject& lock_of(engine::Execution& e, FILE* stream) {
  return e.sync_objects().get(reinterpret_cast<Address>(stream), sched::SyncKind::kAnnotation);
}

void before_lock(engine::Execution& e, FILE* stream, std::uint64_t pc) {
  e.visible({EventKind::kBlockingCall, MemoryOrder::kRelaxed, 0, reinterpret_cast<Address>(stream), pc});
}
void locked(engine::Execution& e, FILE* stream) {
  e.acquire(lock_of(e, stream));
  e.changed();
  e.done(EventKind::kBlockingCall, 0);
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::before_lock;
using heddle::abi::engine;
using heddle::abi::LineBuffer;
using heddle::abi::lock_of;
using heddle::abi::locked;
using heddle::abi::reads_elements;
using heddle::abi::stream_settles;

// --- bytes and lines

#define HEDDLE_PUTS_TEXT(type, name, Char)                                                         \
  HEDDLE_SEEN(type, name, (const Char* text, FILE* stream), (text, stream), call.reads_text(text); \
              call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_PUTS_TEXT(int, fputs, char)
HEDDLE_PUTS_TEXT(int, fputs_unlocked, char)
HEDDLE_PUTS_TEXT(int, fputws, wchar_t)
HEDDLE_PUTS_TEXT(int, fputws_unlocked, wchar_t)
HEDDLE_SEEN(int, puts, (const char* text), (text), call.reads_text(text);
            call.uses_stream(stdout), HEDDLE_NOTHING)
HEDDLE_SEEN_VOID(perror, (const char* text), (text), call.reads_text(text), HEDDLE_NOTHING)

#define HEDDLE_WRITES_ELEMENTS(name)                                                                    \
  HEDDLE_SEEN(std::size_t, name, (const void* from, std::size_t size, std::size_t count, FILE* stream), \
              (from, size, count, stream), reads_elements(call, from, size, count);                     \
              call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_WRITES_ELEMENTS(fwrite)
HEDDLE_WRITES_ELEMENTS(fwrite_unlocked)

// A last element that was read in part only is in the buffer, too; nobody can say how much of it.
#define HEDDLE_READS_ELEMENTS(name)                                                             \
  HEDDLE_SEEN(std::size_t, name, (void* to, std::size_t size, std::size_t count, FILE* stream), \
              (to, size, count, stream), call.uses_stream(stream), call.writes(to, size* result))
HEDDLE_READS_ELEMENTS(fread)
HEDDLE_READS_ELEMENTS(fread_unlocked)
#define HEDDLE_READS_ELEMENTS_CHECKED(name)                                                    \
  HEDDLE_SEEN(std::size_t, name,                                                               \
              (void* to, std::size_t room, std::size_t size, std::size_t count, FILE* stream), \
              (to, room, size, count, stream), call.uses_stream(stream), call.writes(to, size* result))
HEDDLE_READS_ELEMENTS_CHECKED(__fread_chk)
HEDDLE_READS_ELEMENTS_CHECKED(__fread_unlocked_chk)

#define HEDDLE_GETS_LINE(name, Char)                                                \
  HEDDLE_SEEN(Char*, name, (Char * to, int most, FILE* stream), (to, most, stream), \
              call.uses_stream(stream), call.writes_text(result))
HEDDLE_GETS_LINE(fgets, char)
HEDDLE_GETS_LINE(fgets_unlocked, char)
HEDDLE_GETS_LINE(fgetws, wchar_t)
HEDDLE_GETS_LINE(fgetws_unlocked, wchar_t)
#define HEDDLE_GETS_LINE_CHECKED(name, Char)                                                                \
  HEDDLE_SEEN(Char*, name, (Char * to, std::size_t room, int most, FILE* stream), (to, room, most, stream), \
              call.uses_stream(stream), call.writes_text(result))
HEDDLE_GETS_LINE_CHECKED(__fgets_chk, char)
HEDDLE_GETS_LINE_CHECKED(__fgets_unlocked_chk, char)
HEDDLE_GETS_LINE_CHECKED(__fgetws_chk, wchar_t)
HEDDLE_GETS_LINE_CHECKED(__fgetws_unlocked_chk, wchar_t)
HEDDLE_SEEN(char*, gets, (char* to), (to), call.uses_stream(stdin), call.writes_text(result))
HEDDLE_SEEN(char*, __gets_chk, (char* to, std::size_t room), (to, room), call.uses_stream(stdin),
            call.writes_text(result))

HEDDLE_SEEN(ssize_t, getline, (char** text, std::size_t* size, FILE* stream), (text, size, stream),
            call.uses_stream(stream);
            const LineBuffer line(call, text, size), line.filled(result))
#define HEDDLE_GETS_PART(name)                                                        \
  HEDDLE_SEEN(ssize_t, name, (char** text, std::size_t* size, int end, FILE* stream), \
              (text, size, end, stream), call.uses_stream(stream);                    \
              const LineBuffer line(call, text, size), line.filled(result))
HEDDLE_GETS_PART(getdelim)
HEDDLE_GETS_PART(__getdelim)

// --- characters, positions, states: only the stream itself

#define HEDDLE_USES_STREAM(type, name) \
  HEDDLE_SEEN(type, name, (FILE * stream), (stream), call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_USES_STREAM(int, fgetc)
HEDDLE_USES_STREAM(int, getc)
HEDDLE_USES_STREAM(int, _IO_getc)
HEDDLE_USES_STREAM(int, getw)
HEDDLE_USES_STREAM(int, fgetc_unlocked)
HEDDLE_USES_STREAM(int, getc_unlocked)
HEDDLE_USES_STREAM(wint_t, fgetwc)
HEDDLE_USES_STREAM(wint_t, getwc)
HEDDLE_USES_STREAM(wint_t, fgetwc_unlocked)
HEDDLE_USES_STREAM(wint_t, getwc_unlocked)
HEDDLE_USES_STREAM(int, feof)
HEDDLE_USES_STREAM(int, ferror)
HEDDLE_USES_STREAM(int, fileno)
HEDDLE_USES_STREAM(long, ftell)
HEDDLE_USES_STREAM(off_t, ftello)
HEDDLE_USES_STREAM(off_t, ftello64)
HEDDLE_USES_STREAM(int, __uflow)
HEDDLE_USES_STREAM(int, __underflow)
HEDDLE_USES_STREAM(wint_t, __wuflow)
HEDDLE_USES_STREAM(wint_t, __wunderflow)
HEDDLE_SEEN_VOID(rewind, (FILE * stream), (stream), call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_SEEN_VOID(clearerr, (FILE * stream), (stream), call.uses_stream(stream), HEDDLE_NOTHING)

#define HEDDLE_PUTS_CHARACTER(type, name, Char) \
  HEDDLE_SEEN(type, name, (Char c, FILE * stream), (c, stream), call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_PUTS_CHARACTER(int, fputc, int)
HEDDLE_PUTS_CHARACTER(int, putc, int)
HEDDLE_PUTS_CHARACTER(int, _IO_putc, int)
HEDDLE_PUTS_CHARACTER(int, putw, int)
HEDDLE_PUTS_CHARACTER(int, ungetc, int)
HEDDLE_PUTS_CHARACTER(int, fputc_unlocked, int)
HEDDLE_PUTS_CHARACTER(int, putc_unlocked, int)
HEDDLE_PUTS_CHARACTER(wint_t, fputwc, wchar_t)
HEDDLE_PUTS_CHARACTER(wint_t, putwc, wchar_t)
HEDDLE_PUTS_CHARACTER(wint_t, fputwc_unlocked, wchar_t)
HEDDLE_PUTS_CHARACTER(wint_t, putwc_unlocked, wchar_t)
HEDDLE_PUTS_CHARACTER(wint_t, ungetwc, wint_t)
HEDDLE_SEEN(int, __overflow, (FILE * stream, int c), (stream, c), call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_SEEN(wint_t, __woverflow, (FILE * stream, wint_t c), (stream, c), call.uses_stream(stream),
            HEDDLE_NOTHING)
HEDDLE_SEEN(int, putchar, (int c), (c), call.uses_stream(stdout), HEDDLE_NOTHING)
HEDDLE_SEEN(int, putchar_unlocked, (int c), (c), call.uses_stream(stdout), HEDDLE_NOTHING)
HEDDLE_SEEN(wint_t, putwchar, (wchar_t c), (c), call.uses_stream(stdout), HEDDLE_NOTHING)
HEDDLE_SEEN(int, getchar, (), (), call.uses_stream(stdin), HEDDLE_NOTHING)
HEDDLE_SEEN(int, getchar_unlocked, (), (), call.uses_stream(stdin), HEDDLE_NOTHING)
HEDDLE_SEEN(wint_t, getwchar, (), (), call.uses_stream(stdin), HEDDLE_NOTHING)

#define HEDDLE_SEEKS(name, Offset)                                                             \
  HEDDLE_SEEN(int, name, (FILE * stream, Offset offset, int whence), (stream, offset, whence), \
              call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_SEEKS(fseek, long)
HEDDLE_SEEKS(fseeko, off_t)
HEDDLE_SEEKS(fseeko64, off_t)
HEDDLE_SEEN(int, fgetpos, (FILE * stream, fpos_t* place), (stream, place), call.uses_stream(stream),
            if (result == 0) call.writes_object(place))
HEDDLE_SEEN(int, fgetpos64, (FILE * stream, fpos_t* place), (stream, place), call.uses_stream(stream),
            if (result == 0) call.writes_object(place))
HEDDLE_SEEN(int, fsetpos, (FILE * stream, const fpos_t* place), (stream, place), call.uses_stream(stream);
            call.reads_object(place), HEDDLE_NOTHING)
HEDDLE_SEEN(int, fsetpos64, (FILE * stream, const fpos_t* place), (stream, place), call.uses_stream(stream);
            call.reads_object(place), HEDDLE_NOTHING)

// The buffer is the stream's from now on, and used under its lock.
HEDDLE_SEEN(int, setvbuf, (FILE * stream, char* buffer, int mode, std::size_t size),
            (stream, buffer, mode, size), call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_SEEN_VOID(setbuf, (FILE * stream, char* buffer), (stream, buffer), call.uses_stream(stream),
                 HEDDLE_NOTHING)
HEDDLE_SEEN_VOID(setbuffer, (FILE * stream, char* buffer, std::size_t size), (stream, buffer, size),
                 call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_SEEN_VOID(setlinebuf, (FILE * stream), (stream), call.uses_stream(stream), HEDDLE_NOTHING)

// --- a stream's life

HEDDLE_SEEN(int, fflush, (FILE * stream), (stream), call.uses_stream(stream),
            stream_settles(call, stream, false))
HEDDLE_SEEN(int, fflush_unlocked, (FILE * stream), (stream), call.uses_stream(stream),
            stream_settles(call, stream, false))
// (Whoever closes a stream on memory: it is one no longer.)
HEDDLE_INTERPOSE(int, fclose, FILE* stream) {
  const auto call = HEDDLE_PROGRAM_CALL(fclose);
  call.ends_stream(stream);
  const int result = HEDDLE_LIBC(fclose)(stream);
  stream_settles(call, stream, true);
  return result;
}
HEDDLE_SEEN(FILE*, fdopen, (int descriptor, const char* mode), (descriptor, mode), call.reads_text(mode),
            HEDDLE_NOTHING)
#define HEDDLE_REOPENS(name)                                                                         \
  HEDDLE_SEEN(FILE*, name, (const char* path, const char* mode, FILE* stream), (path, mode, stream), \
              call.reads_text(path);                                                                 \
              call.reads_text(mode); call.uses_stream(stream), HEDDLE_NOTHING)
HEDDLE_REOPENS(freopen)
HEDDLE_REOPENS(freopen64)

HEDDLE_INTERPOSE(void, flockfile, FILE* stream) {
  auto* const e = engine();
  if (e == nullptr) return HEDDLE_LIBC(flockfile)(stream);
  before_lock(*e, stream, HEDDLE_CALLER_PC);
  HEDDLE_LIBC(flockfile)(stream);
  locked(*e, stream);
}
HEDDLE_INTERPOSE(int, ftrylockfile, FILE* stream) {
  auto* const e = engine();
  if (e == nullptr) return HEDDLE_LIBC(ftrylockfile)(stream);
  before_lock(*e, stream, HEDDLE_CALLER_PC);
  const int result = HEDDLE_LIBC(ftrylockfile)(stream);
  if (result == 0) locked(*e, stream);
  return result;
}
HEDDLE_INTERPOSE(void, funlockfile, FILE* stream) {
  if (auto* const e = engine()) e->release(lock_of(*e, stream));
  HEDDLE_LIBC(funlockfile)(stream);
}
