// The container of logs of native runs (docs/design/record-format.md). The recorder writes it through a shared
// mapping of the file, so that all that was written is there after the process was killed.
//
// A page with the header; then chunks, each at a page boundary, of one thread and one kind. Little-endian.
// Plain data; both sides check nothing here.
#pragma once

#include <cstdint>
#include <type_traits>

namespace heddle::record {

inline constexpr std::uint64_t kLogMagic = 0x31474f4c4c444448;  // "HDDLLOG1"
inline constexpr std::uint64_t kCollectedMagic =
    0x315a474c4c444448;  // "HDDLLGZ1": the same, compressed by the tool
inline constexpr std::uint32_t kLogVersion = 5;
inline constexpr std::uint32_t kLogPage = 4096;

enum class LogKind : std::uint32_t { kPath = 1, kVariables = 2, kBlocks = 3 };

enum class OutcomeKind : std::uint32_t {
  kUnknown = 0,  // still running, or killed without warning
  kExited,       // status
  kSignal,       // status: its number; address: where, relative to its module; text: the module's name
  kAssertion,    // text: "file:line: function: expression"
  kAborted,      // abort, std::terminate; address: who led to it, relative to its module; text: the module's
                 // name, where that is known
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::kUnknown;
  std::int32_t status = 0;
  std::uint64_t address = 0;
  std::uint32_t thread = 0;  // which ended it, by its number in this log
  std::uint32_t unused = 0;
  char text[232] = {};
};
static_assert(sizeof(Outcome) == 256);

// What a run was given, part by part, so that it can be said which of them is another. Hashes alone: values stay where
// they are, and 16 bits of a hash are too few to find one by trying. All zero in logs that are older than this.
struct RunParts {
  static constexpr std::uint32_t kMostArguments = 64, kMostVariables = 256;
  struct Variable {
    std::uint32_t name = 0;
    std::uint16_t value = 0;
    std::uint16_t unused = 0;
  };

  std::uint32_t known = 0;      // 1: this was filled in
  std::uint32_t arguments = 0;  // how many there were, without the program's name
  std::uint32_t variables = 0;  // without those of the session and the user
  std::uint32_t unused = 0;
  std::uint64_t input = 0;  // of standard input; 0: it was no file
  std::uint32_t argument[kMostArguments] = {};
  Variable variable[kMostVariables] = {};
};

struct LogHeader {
  std::uint64_t magic = 0;
  std::uint32_t version = 0;
  LogKind kind = LogKind::kPath;
  std::uint64_t build = 0;      // sum of the graph hashes of all modules that were loaded at the start
  std::uint64_t run = 0;        // hash of arguments, environment and input
  std::uint64_t capacity = 0;   // bytes that the file may come to
  std::uint64_t end = 0;        // bytes handed out so far; a multiple of a page
  std::uint32_t threads = 0;    // numbers handed out so far
  std::uint32_t truncated = 0;  // there was more than capacity
  std::uint32_t process = 0;
  std::uint64_t address = 0;  // where the file was mapped: pointers in thread entries are relative to it
  std::uint32_t sealed = 0;   // the run came to its end, and all chunks have their checksums
  Outcome outcome;
  char program[512] = {};
  RunParts parts;
};
static_assert(sizeof(LogHeader) <= kLogPage);

enum class ChunkKind : std::uint16_t {
  kThread = 1,  // ThreadEntry; its first
  kBits,        // branch bits, the oldest in the highest bit of the first byte; then a byte: bits not used
  kMarks,       // Mark
  kModules,     // paths of the modules loaded at the start, each ended by a zero
  kElements,    // of the recorders of shared elements: their own
  kVectors,
  kSlots,
  kWords,       // branch bits as PathState::pending has them, word by word
  kPackedBits,  // as kBits, smaller (chunk_packing.h)
  kParts,       // eight bytes: how many are used, with these; then PartHeaders, each with its content
};

struct ChunkHeader {
  static constexpr std::uint32_t kMagic = 0x4b4e4843;  // "CHNK"
  std::uint32_t magic = 0;
  std::uint32_t thread = 0;  // by its number in this log
  ChunkKind kind = ChunkKind::kThread;
  std::uint16_t stream = 0;    // 0: the thread; n: signal handlers that interrupted, n deep
  std::uint32_t sequence = 0;  // of the thread's chunks of this kind, from 0
  std::uint32_t bytes = 0;     // of the chunk, with this header
  std::uint32_t used = 0;      // bytes after this header; kOpen while it is written
  std::uint64_t checksum = 0;  // of those bytes, once it is not open
  static constexpr std::uint32_t kOpen = ~0u;
};
static_assert(sizeof(ChunkHeader) == 32);

// A chunk of bits within a chunk of kind kParts; its content is filled up to eight bytes.
struct PartHeader {
  std::uint32_t sequence = 0;  // among the thread's chunks of bits and words
  ChunkKind kind = ChunkKind::kBits;
  std::uint16_t unused = 0;
  std::uint64_t bytes = 0;
};
static_assert(sizeof(PartHeader) == 16);

// FNV-1a over words of eight bytes, the last one filled with zeros.
constexpr std::uint64_t with_word(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}
constexpr std::uint64_t checksum_of(const unsigned char* bytes, std::uint64_t size) {
  std::uint64_t hash = 0xcbf29ce484222325ull ^ size;
  for (std::uint64_t at = 0; at < size; at += 8) {
    std::uint64_t word = 0;
    if (size - at >= 8 && !std::is_constant_evaluated()) {
      __builtin_memcpy(&word, bytes + at, 8);
    } else {
      for (std::uint64_t i = 0; i < 8 && at + i < size; ++i) word |= std::uint64_t{bytes[at + i]} << (8 * i);
    }
    hash = with_word(hash, word);
  }
  return hash;
}
// Of a chunk. Those that a thread keeps while it runs: four sums at once, of every fourth word, so that none
// waits for another; then that of their sums and of what is left.
inline std::uint64_t checksum_of(ChunkKind kind, const unsigned char* bytes, std::uint64_t size) {
  if (kind != ChunkKind::kBits && kind != ChunkKind::kPackedBits && kind != ChunkKind::kParts)
    return checksum_of(bytes, size);
  std::uint64_t sums[4] = {1, 2, 3, 4};
  for (; size >= sizeof sums; bytes += sizeof sums, size -= sizeof sums) {
    std::uint64_t words[4];
    __builtin_memcpy(words, bytes, sizeof words);
    for (unsigned i = 0; i < 4; ++i) sums[i] = with_word(sums[i], words[i]);
  }
  std::uint64_t hash = checksum_of(bytes, size);
  for (const std::uint64_t sum : sums) hash = with_word(hash, sum);
  return hash;
}

// Who a thread is: the n-th child of its parent. Numbers are by start, and so chance; names are not.
struct ThreadEntry {
  std::uint32_t number = 0;
  std::uint32_t parent = 0;   // its number
  std::uint32_t ordinal = 0;  // n-th child, from 1; 0: the main thread
  std::uint32_t ended = 0;
};

// Between two bits of a path log.
struct Mark {
  std::uint64_t bits = 0;   // how many bits the thread had logged before it
  std::uint64_t place = 0;  // PlaceId; kSignal: bits that the interrupted thread had written at least
  std::uint32_t kind = 0;   // StepKind
  std::uint32_t extra = 0;  // kSignal: its number
};
static_assert(sizeof(Mark) == 24);

}  // namespace heddle::record
