#include "tool/record/path_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "core/record/chunk_packing.h"
#include "core/record/path_state.h"
#include "tool/record/log_reader.h"
#include "tool/record/path_walk.h"

namespace heddle {
namespace {

using record::ChunkKind;
using record::Mark;

// A chunk of a thread's bits, or one that is a part of another.
struct BitsChunk {
  const LogChunk* chunk = nullptr;
  ChunkKind kind = ChunkKind::kWords;
  std::string_view bytes;
  bool is_open = false;
};

// What one thread, or the signal handlers that interrupted it, have logged.
struct Stream {
  const LogChunk* head = nullptr;
  std::map<std::uint32_t, BitsChunk> bits;  // by their sequence
  bool is_moved = false;  // the open chunk is being written again: its old content is among these already
  std::map<std::uint32_t, const LogChunk*> marks;
};

using Streams = std::map<std::pair<std::uint32_t, std::uint32_t>, Stream>;  // by thread and depth

Error damaged_log(const std::string& path, const std::string& what) {
  return {fmt::format("{} is damaged: {}. It cannot be used; record the run again.", path, what)};
}

void add_bits(Stream& stream, std::uint32_t sequence, const BitsChunk& chunk) {
  const auto [known, is_new] = stream.bits.try_emplace(sequence, chunk);
  if (is_new || (!known->second.is_open && !chunk.is_open)) return;  // (the same content twice)
  stream.is_moved = true;
  if (known->second.is_open) known->second = chunk;
}

// False: it makes no sense.
bool add_parts(Stream& stream, const LogChunk& chunk) {
  if (chunk.bytes.size() < sizeof(std::uint64_t)) return false;
  std::uint64_t used = 0;
  std::memcpy(&used, chunk.bytes.data(), sizeof used);
  if (used > chunk.bytes.size()) return false;
  for (std::uint64_t at = sizeof used; at < used;) {
    record::PartHeader part;
    if (used - at < sizeof part) return false;
    std::memcpy(&part, chunk.bytes.data() + at, sizeof part);
    at += sizeof part;
    if (part.bytes > used - at) return false;
    add_bits(stream, part.sequence, {&chunk, part.kind, chunk.bytes.substr(at, part.bytes), false});
    at += (part.bytes + 7) / 8 * 8;
  }
  return true;
}

Result<Streams> gather_streams(const RawLog& raw) {
  Streams streams;
  for (const LogChunk& chunk : raw.chunks) {
    const auto& header = chunk.header;
    const auto stream = [&]() -> Stream& { return streams[{header.thread, header.stream}]; };
    switch (header.kind) {
      case ChunkKind::kThread:
        if (chunk.bytes.size() + sizeof(record::ChunkHeader) < sizeof(record::PathThreadHead))
          return damaged_log(raw.path, "a thread's entry is cut off");
        if (header.sequence > std::numeric_limits<decltype(header.stream)>::max())
          return damaged_log(raw.path, "a thread's entry makes no sense");
        streams[{header.thread, header.sequence}].head = &chunk;
        break;
      case ChunkKind::kWords:
      case ChunkKind::kBits:
      case ChunkKind::kPackedBits:
        add_bits(stream(), header.sequence, {&chunk, header.kind, chunk.bytes, chunk.is_open});
        break;
      case ChunkKind::kParts:
        if (!add_parts(stream(), chunk))
          return damaged_log(raw.path, "a part of a thread's bits makes no sense");
        break;
      case ChunkKind::kMarks:
        stream().marks[header.sequence] = &chunk;
        break;
      default:
        break;
    }
  }
  return streams;
}

template <typename Chunk>
bool is_whole(const std::map<std::uint32_t, Chunk>& chunks) {
  return chunks.empty() || (chunks.begin()->first == 0 && chunks.rbegin()->first + 1 == chunks.size());
}

std::uint64_t path_word(std::string_view bytes, std::size_t index) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
  return word;
}

// A chunk that the thread does not write any more. False: it makes no sense.
bool add_sealed(const BitsChunk& chunk, PathBits& bits) {
  switch (chunk.kind) {
    case ChunkKind::kWords:
      for (std::size_t i = 0; i < chunk.bytes.size() / sizeof(std::uint64_t); ++i)
        bits.add_word(path_word(chunk.bytes, i));
      return true;
    case ChunkKind::kBits:
      return bits.add_packed(chunk.bytes);
    case ChunkKind::kPackedBits: {
      const auto unpacked = unpacked_bytes(chunk.bytes);
      return unpacked && bits.add_packed(*unpacked);
    }
    default:
      return false;
  }
}

// The chunk that the thread was writing: words up to `next`, and then what was pending, or what was written
// of that since, of which the thread has not told yet.
void add_latest(const BitsChunk& chunk, std::size_t next, std::uint64_t pending, PathBits& bits) {
  const std::size_t words = chunk.bytes.size() / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < next; ++i) bits.add_word(path_word(chunk.bytes, i));
  const std::uint64_t latest = next < words ? path_word(chunk.bytes, next) : 0;
  const bool is_longer = latest != 0 && record::pending_count(latest) > record::pending_count(pending);
  bits.add_word(is_longer ? latest : pending);
}

struct StreamBits {
  PathBits bits;
  bool is_whole = false;  // no: the log's bound was hit, and it ends before the thread did
};
Result<StreamBits> read_bits(const RawLog& raw, const Stream& stream) {
  record::PathThreadHead head;
  std::memcpy(&head, raw.image.data() + stream.head->offset, sizeof head);
  const std::uint64_t next = reinterpret_cast<std::uint64_t>(head.state.next) - raw.header.address;
  StreamBits read;
  for (const auto& [sequence, chunk] : stream.bits) {
    const std::uint64_t begin = chunk.chunk->offset + sizeof(record::ChunkHeader);
    const bool is_current =
        chunk.kind == ChunkKind::kWords && next >= begin && next <= begin + chunk.bytes.size();
    if (is_current) {
      add_latest(chunk, (next - begin) / sizeof(std::uint64_t), head.state.pending, read.bits);
      read.is_whole = true;
      return read;
    }
    if (chunk.is_open) return read;
    if (!add_sealed(chunk, read.bits))
      return damaged_log(raw.path, "a part of a thread's bits makes no sense");
  }
  if (!stream.is_moved) return read;
  read.bits.add_word(head.state.pending);
  read.is_whole = true;
  return read;
}

std::vector<Mark> read_marks(const Stream& stream) {
  std::vector<Mark> marks;
  for (const auto& [sequence, chunk] : stream.marks) {
    for (std::size_t at = 0; at + sizeof(Mark) <= chunk->bytes.size(); at += sizeof(Mark)) {
      Mark mark;
      std::memcpy(&mark, chunk->bytes.data() + at, sizeof mark);
      if (mark.kind == 0) break;  // an open chunk's end
      marks.push_back(mark);
    }
  }
  return marks;
}

Result<ThreadPath> read_thread(const RawLog& raw, const Stream& stream, const PathTables& tables,
                               PathSteps steps) {
  if (stream.head == nullptr) return damaged_log(raw.path, "a thread's entry is missing");
  if (!is_whole(stream.bits) || !is_whole(stream.marks))
    return damaged_log(raw.path, "a part of a thread's bits is missing");
  ThreadPath thread;
  auto read = read_bits(raw, stream);
  if (!read) return read.error();
  thread.incomplete = !read->is_whole;
  thread.bits = read->bits.size();
  const bool fits = walk_path(tables.tables(), std::move(read->bits), read_marks(stream), steps);
  if (!fits || !steps.has_room()) thread.incomplete = true;
  thread.decisions = steps.decisions();
  thread.marks = steps.marks();
  thread.steps = std::move(steps.steps());
  return thread;
}

}  // namespace

Result<PathLog> read_path_log(const std::string& path, const PathTables& tables, std::size_t most_steps,
                              std::size_t kept_steps) {
  auto raw = read_log(path);
  if (!raw) return raw.error();
  if (raw->header.kind != record::LogKind::kPath)
    return Error{path + " is no log of paths; it was recorded with --vars or --blocks."};
  if (raw->header.build != tables.build()) {
    return Error{
        fmt::format("{} was recorded by another build of the program than {}. Use the binary that "
                    "recorded it.",
                    path, tables.tables().modules.front())};
  }
  const auto names = raw->thread_names();
  if (!names) return names.error();
  const auto streams = gather_streams(*raw);
  if (!streams) return streams.error();
  PathLog log;
  log.path = path;
  log.program = raw->program();
  log.build = raw->header.build;
  log.run = raw->header.run;
  log.parts = raw->header.parts;
  log.outcome = raw->header.outcome;
  if (log.outcome.thread < names->size()) log.ended_by = (*names)[log.outcome.thread];
  log.incomplete = raw->header.truncated != 0 || raw->header.sealed == 0;
  for (const auto& [who, stream] : *streams) {
    auto thread = read_thread(*raw, stream, tables, PathSteps(most_steps, kept_steps));
    if (!thread) return thread.error();
    if (who.first >= names->size()) return damaged_log(path, "a thread's entry is missing");
    thread->name = (*names)[who.first] + std::string(who.second, '!');
    log.threads.push_back(std::move(*thread));
  }
  std::sort(log.threads.begin(), log.threads.end(),
            [](const ThreadPath& a, const ThreadPath& b) { return a.name < b.name; });
  return log;
}

Result<PathLog> read_path_log(const std::string& path) {
  const auto raw = read_log(path);
  if (!raw) return raw.error();
  const auto tables = PathTables::read(raw->program(), raw->modules());
  if (!tables) return tables.error();
  return read_path_log(path, *tables);
}

std::vector<ThreadPath> paths_of(const SymbolicTables& tables, const StableNames& names) {
  std::map<std::string, ThreadPath> threads;
  for (const symbolic::Step& step : tables.steps) {
    ThreadPath& thread = threads[names.thread(step.thread) + std::string(step.depth, '!')];
    thread.steps.push_back(
        {static_cast<record::StepKind>(step.kind), record::PlaceId{step.place}, step.outcome});
  }
  std::vector<ThreadPath> paths;
  for (auto& [name, thread] : threads) {
    thread.name = name;
    thread.bits = thread.steps.size();
    thread.decisions = thread.steps.size();
    paths.push_back(std::move(thread));
  }
  return paths;
}

std::size_t first_difference(const ThreadPath& a, const ThreadPath& b) {
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    if (!a.steps[i].is_decision()) continue;
    while (j < b.steps.size() && !b.steps[j].is_decision()) ++j;
    if (j == b.steps.size() || a.steps[i] != b.steps[j]) return i;
    ++j;
  }
  return a.steps.size();
}

}  // namespace heddle
