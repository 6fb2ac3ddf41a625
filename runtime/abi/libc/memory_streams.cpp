#include "runtime/abi/libc/memory_streams.h"

#include <wchar.h>

namespace heddle::abi {
namespace {

struct MemoryStream {
  const FILE* stream = nullptr;
  // open_memstream: where the program finds the text, and its length in characters.
  void** text = nullptr;
  std::size_t* length = nullptr;
  std::size_t character = 0;
  // fmemopen, for writing
  const char* buffer = nullptr;
  std::size_t size = 0;
};

// Few at a time: a stream that finds no place here is not told of. Lies with the program's state, and is put
// back with it.
constexpr std::uint32_t kMostStreams = 64;
MemoryStream streams[kMostStreams];

void remember(const MemoryStream& stream) {
  if (stream.stream == nullptr) return;
  for (MemoryStream& known : streams) {
    if (known.stream != nullptr && known.stream != stream.stream) continue;
    known = stream;
    return;
  }
}

// What has been written is text and its end.
void settle(const ProgramCall& call, const MemoryStream& s) {
  if (s.text != nullptr) {
    call.writes_object(s.text);
    call.writes_object(s.length);
    if (*s.text != nullptr) call.writes(*s.text, (*s.length + 1) * s.character);
  } else {
    const std::size_t bytes = bytes_of_text(s.buffer, s.size);
    call.writes(s.buffer, bytes);
  }
}

bool is_for_writing(const char* mode) {
  for (const char* c = mode; c != nullptr && *c != '\0'; ++c) {
    if (*c == 'w' || *c == 'a' || *c == '+') return true;
  }
  return false;
}

void made(const ProgramCall& call, FILE* stream, char* buffer, std::size_t size, const char* mode) {
  if (stream == nullptr || buffer == nullptr) return;
  if (is_for_writing(mode)) {
    remember({stream, nullptr, nullptr, 0, buffer, size});
  } else {
    call.reads_text(buffer, size);
  }
}

template <typename Char>
void made(const ProgramCall& call, FILE* stream, Char** text, std::size_t* length) {
  if (stream == nullptr) return;
  call.writes_object(text);
  call.writes_object(length);
  remember({stream, reinterpret_cast<void**>(text), length, sizeof(Char), nullptr, 0});
}

}  // namespace

void stream_settles(const ProgramCall& call, const FILE* stream, bool is_closed) {
  for (MemoryStream& known : streams) {
    if (known.stream == nullptr || (stream != nullptr && known.stream != stream)) continue;
    if (call) settle(call, known);
    if (is_closed) known = {};
  }
}

}  // namespace heddle::abi

using heddle::abi::made;

HEDDLE_SEEN(FILE*, fmemopen, (void* buffer, std::size_t size, const char* mode), (buffer, size, mode),
            call.reads_text(mode), made(call, result, static_cast<char*>(buffer), size, mode))
HEDDLE_SEEN(FILE*, open_memstream, (char** text, std::size_t* length), (text, length), HEDDLE_NOTHING,
            made(call, result, text, length))
HEDDLE_SEEN(FILE*, open_wmemstream, (wchar_t * *text, std::size_t* length), (text, length), HEDDLE_NOTHING,
            made(call, result, text, length))
