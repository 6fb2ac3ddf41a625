#include "tool/record/path_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "tool/record/log_reader.h"
#include "tool/record/path_walk.h"

namespace heddle {
namespace {

using record::ChunkKind;
using record::Mark;

// What one thread, or the signal handlers that interrupted it, have logged.
struct Stream {
  const LogChunk* head = nullptr;
  std::map<std::uint32_t, const LogChunk*> bits;  // by their sequence
  const LogChunk* moved = nullptr;  // is being written again, and its old content is among these already
  std::map<std::uint32_t, const LogChunk*> marks;
};

using Streams = std::map<std::pair<std::uint32_t, std::uint32_t>, Stream>;  // by thread and depth

Error damaged_log(const std::string& path, const std::string& what) {
  return {fmt::format("{} is damaged: {}. It cannot be used; record the run again.", path, what)};
}

Result<Streams> gather_streams(const RawLog& raw) {
  Streams streams;
  for (const LogChunk& chunk : raw.chunks) {
    const auto& header = chunk.header;
    if (header.kind == ChunkKind::kThread) {
      if (chunk.bytes.size() + sizeof(record::ChunkHeader) < sizeof(record::PathThreadHead))
        return damaged_log(raw.path, "a thread's entry is cut off");
      streams[{header.thread, header.sequence}].head = &chunk;
    } else if (header.kind == ChunkKind::kBits) {
      Stream& stream = streams[{header.thread, header.stream}];
      const LogChunk*& known = stream.bits[header.sequence];
      if (known != nullptr) stream.moved = chunk.is_open ? &chunk : known;
      if (known == nullptr || known->is_open) known = &chunk;
    } else if (header.kind == ChunkKind::kMarks) {
      streams[{header.thread, header.stream}].marks[header.sequence] = &chunk;
    }
  }
  return streams;
}

bool is_whole(const std::map<std::uint32_t, const LogChunk*>& chunks) {
  return chunks.empty() || (chunks.begin()->first == 0 && chunks.rbegin()->first + 1 == chunks.size());
}

// False: the log's bound was hit, and it ends before the thread did.
bool read_bits(const RawLog& raw, const Stream& stream, PathBits& bits) {
  record::PathThreadHead head;
  std::memcpy(&head, raw.image.data() + stream.head->offset, sizeof head);
  const std::uint64_t next = reinterpret_cast<std::uint64_t>(head.state.next) - raw.header.address;
  for (const auto& [sequence, chunk] : stream.bits) {
    const std::uint64_t begin = chunk->offset + sizeof(record::ChunkHeader);
    const bool is_current = next >= begin && next <= begin + chunk->bytes.size();
    if (!chunk->is_open || !is_current) {
      if (chunk->is_open) return false;
      bits.add(chunk->bytes);
      if (!is_current) continue;
    } else {
      bits.add(chunk->bytes.substr(0, next - begin));
    }
    bits.end_with(head.state.pending);
    return true;
  }
  if (stream.moved == nullptr || !stream.moved->is_open) return false;
  bits.end_with(head.state.pending);
  return true;
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
                               std::size_t most_steps) {
  if (stream.head == nullptr) return damaged_log(raw.path, "a thread's entry is missing");
  if (!is_whole(stream.bits) || !is_whole(stream.marks))
    return damaged_log(raw.path, "a part of a thread's bits is missing");
  ThreadPath thread;
  PathBits bits;
  thread.incomplete = !read_bits(raw, stream, bits);
  thread.bits = bits.size();
  bool has_room = true;
  const bool fits =
      walk_path(tables.tables(), std::move(bits), read_marks(stream), [&](const PathStep& step) {
        if (thread.steps.size() < most_steps) thread.steps.push_back(step);
        return has_room = thread.steps.size() < most_steps;
      });
  if (!fits || !has_room) thread.incomplete = true;
  return thread;
}

}  // namespace

Result<PathLog> read_path_log(const std::string& path, const PathTables& tables, std::size_t most_steps) {
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
  log.outcome = raw->header.outcome;
  log.incomplete = raw->header.truncated != 0 || raw->header.sealed == 0;
  for (const auto& [who, stream] : *streams) {
    auto thread = read_thread(*raw, stream, tables, most_steps);
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
