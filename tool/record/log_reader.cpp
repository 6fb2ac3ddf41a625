#include "tool/record/log_reader.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "tool/base/atomic_file.h"

namespace heddle {
namespace {

using record::ChunkHeader;
using record::ChunkKind;
using record::kLogPage;
using record::LogHeader;

constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30;
constexpr std::size_t kCollectedHead = 3 * sizeof(std::uint64_t);

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

std::string read_part(int file, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  std::uint64_t at = 0;
  while (at < bytes) {
    const ssize_t got = pread(file, text.data() + at, bytes - at, static_cast<off_t>(at));
    if (got <= 0) break;
    at += static_cast<std::uint64_t>(got);
  }
  text.resize(at);
  return text;
}

std::uint64_t word_at(std::string_view bytes, std::size_t index) {
  std::uint64_t word = 0;
  memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
  return word;
}

std::uint64_t checksum(std::string_view bytes) {
  return record::checksum_of(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

Error damaged(const std::string& path, const std::string& what) {
  return {fmt::format("{} is damaged: {}. It cannot be used; record the run again.", path, what)};
}

Result<std::string> decompressed(const std::string& path, std::string_view file) {
  const std::uint64_t bytes = word_at(file, 1);
  const std::string_view frame = file.substr(kCollectedHead);
  if (bytes > kMostBytes || ZSTD_getFrameContentSize(frame.data(), frame.size()) != bytes)
    return damaged(path, "its length is not what it says");
  std::string image(bytes, '\0');
  const std::size_t got = ZSTD_decompress(image.data(), image.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != bytes) return damaged(path, "it cannot be decompressed");
  if (checksum(image) != word_at(file, 2)) return damaged(path, "its checksum is wrong");
  return image;
}

// The part of the file that counts.
Result<std::string> read_image(const std::string& path) {
  const Descriptor file(path);
  struct stat about{};
  if (file.number() < 0 || fstat(file.number(), &about) != 0)
    return Error{fmt::format("{} cannot be read: {}.", path, strerror(errno))};
  if (!S_ISREG(about.st_mode)) return Error{path + " is no file."};
  const auto size = static_cast<std::uint64_t>(about.st_size);
  const std::string head = read_part(file.number(), std::min<std::uint64_t>(size, kLogPage));
  if (head.size() < kCollectedHead) return Error{path + " is no log of a recorded run: it is too short."};
  if (word_at(head, 0) == record::kCollectedMagic) {
    if (size > kMostBytes) return damaged(path, "it is too long");
    return decompressed(path, read_part(file.number(), size));
  }
  if (word_at(head, 0) != record::kLogMagic) return Error{path + " is no log of a recorded run."};
  if (head.size() < kLogPage) return damaged(path, "its beginning is cut off");
  LogHeader header;
  memcpy(&header, head.data(), sizeof header);
  return read_part(file.number(), std::min({size, header.end, kMostBytes}));
}

Status read_chunks(RawLog& log) {
  const std::string_view image = log.image;
  for (std::uint64_t at = kLogPage; at + sizeof(ChunkHeader) <= image.size();) {
    LogChunk chunk;
    memcpy(&chunk.header, image.data() + at, sizeof chunk.header);
    const ChunkHeader& header = chunk.header;
    if (header.magic != ChunkHeader::kMagic) {
      // It was handed out, and the process ended before it was used.
      if (log.header.sealed != 0 && header.magic != 0)
        return damaged(log.path, fmt::format("there is no chunk at {:#x}", at));
      at += kLogPage;
      continue;
    }
    if (header.bytes < sizeof(ChunkHeader) || header.bytes % kLogPage != 0)
      return damaged(log.path, fmt::format("the chunk at {:#x} has a wrong length", at));
    chunk.offset = at;
    chunk.bytes =
        image.substr(at + sizeof(ChunkHeader),
                     std::min<std::uint64_t>(header.bytes, image.size() - at) - sizeof(ChunkHeader));
    chunk.is_open = header.used == ChunkHeader::kOpen;
    if (!chunk.is_open) {
      if (header.used > chunk.bytes.size())
        return damaged(log.path, fmt::format("the chunk at {:#x} is cut off", at));
      chunk.bytes = chunk.bytes.substr(0, header.used);
      const auto* bytes = reinterpret_cast<const unsigned char*>(chunk.bytes.data());
      if (record::checksum_of(header.kind, bytes, chunk.bytes.size()) != header.checksum)
        return damaged(log.path, fmt::format("the chunk at {:#x} has a wrong checksum", at));
    }
    log.chunks.push_back(chunk);
    at += header.bytes;
  }
  return Done{};
}

template <std::size_t kSize>
std::string text_of(const char (&text)[kSize]) {
  return {text, strnlen(text, kSize)};
}

}  // namespace

Result<RawLog> read_log(const std::string& path) {
  auto image = read_image(path);
  if (!image) return image.error();
  RawLog log;
  log.path = path;
  log.image = std::move(*image);
  if (log.image.size() < kLogPage) return damaged(path, "its beginning is cut off");
  memcpy(&log.header, log.image.data(), sizeof log.header);
  if (log.header.magic != record::kLogMagic) return damaged(path, "its beginning is wrong");
  // (Logs of variables are as they were in version 3.)
  constexpr std::uint32_t kOldestVariables = 3;
  const std::uint32_t oldest =
      log.header.kind == record::LogKind::kVariables ? kOldestVariables : record::kLogVersion;
  const bool is_known = log.header.version >= oldest && log.header.version <= record::kLogVersion;
  if (!is_known) {
    return Error{
        fmt::format("{} has version {} of the format, and this heddle reads version {}. Use the one "
                    "that recorded it.",
                    path, log.header.version, record::kLogVersion)};
  }
  // (The file has its full length from the start, however the run ended.)
  if (log.header.end > log.image.size()) return damaged(path, "its end is cut off");
  if (const Status read = read_chunks(log); !read) return read.error();
  return log;
}

std::string RawLog::program() const { return text_of(header.program); }

std::vector<std::string> RawLog::modules() const {
  std::vector<std::string> paths;
  for (const LogChunk& chunk : chunks) {
    if (chunk.header.kind != ChunkKind::kModules || chunk.is_open) continue;
    for (std::size_t at = 0; at < chunk.bytes.size();) {
      const std::size_t end = std::min(chunk.bytes.find('\0', at), chunk.bytes.size());
      if (end > at) paths.emplace_back(chunk.bytes.substr(at, end - at));
      at = end + 1;
    }
  }
  return paths;
}

Result<std::vector<std::string>> RawLog::thread_names() const {
  std::vector<std::string> names(std::min<std::uint64_t>(header.threads, image.size() / kLogPage + 1));
  std::vector<record::ThreadEntry> entries;
  for (const LogChunk& chunk : chunks) {
    if (chunk.header.kind != ChunkKind::kThread || chunk.header.sequence != 0) continue;
    if (chunk.bytes.size() < sizeof(record::ThreadEntry)) return damaged(path, "a thread's entry is cut off");
    record::ThreadEntry entry;
    memcpy(&entry, chunk.bytes.data(), sizeof entry);
    entries.push_back(entry);
  }
  // Parents are numbered before their children.
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  for (const record::ThreadEntry& entry : entries) {
    const bool is_main = entry.number == 0 && entry.ordinal == 0;
    const bool is_child = entry.number != 0 && entry.parent < entry.number && entry.ordinal != 0;
    if (entry.number >= names.size() || !names[entry.number].empty() || (!is_main && !is_child))
      return damaged(path, "a thread's entry makes no sense");
    // (A parent without an entry of its own had no room for one.)
    const std::string& parent = is_main ? std::string() : names[entry.parent];
    names[entry.number] = is_main ? "0" : fmt::format("{}.{}", parent.empty() ? "?" : parent, entry.ordinal);
  }
  return names;
}

Status write_collected(const RawLog& log, const std::string& path) {
  std::string frame(ZSTD_compressBound(log.image.size()), '\0');
  constexpr int kLevel = 6;
  const std::size_t bytes =
      ZSTD_compress(frame.data(), frame.size(), log.image.data(), log.image.size(), kLevel);
  if (ZSTD_isError(bytes) != 0) return Error{path + " cannot be compressed.", ExitCode::kOwnError};
  frame.resize(bytes);
  std::string file;
  for (const std::uint64_t word :
       {record::kCollectedMagic, static_cast<std::uint64_t>(log.image.size()), checksum(log.image)})
    file.append(reinterpret_cast<const char*>(&word), sizeof word);
  return write_file_atomically(path, file + frame);
}

bool is_failure(const record::Outcome& outcome) {
  switch (outcome.kind) {
    case record::OutcomeKind::kUnknown:
      return false;
    case record::OutcomeKind::kExited:
      return outcome.status != 0;
    case record::OutcomeKind::kSignal:
    case record::OutcomeKind::kAssertion:
    case record::OutcomeKind::kAborted:
      return true;
  }
  return false;
}

std::string outcome_text(const record::Outcome& outcome) {
  const std::string text = text_of(outcome.text);
  switch (outcome.kind) {
    case record::OutcomeKind::kUnknown:
      break;
    case record::OutcomeKind::kExited:
      return fmt::format("exit status {}", outcome.status);
    case record::OutcomeKind::kSignal:
      return fmt::format(
          "SIG{} at {}+{:#x}",
          outcome.status > 0 && outcome.status < NSIG && sigabbrev_np(outcome.status) != nullptr
              ? sigabbrev_np(outcome.status)
              : std::to_string(outcome.status),
          text, outcome.address);
    case record::OutcomeKind::kAssertion:
      return "assertion failed: " + text;
    case record::OutcomeKind::kAborted:
      return outcome.address != 0 ? fmt::format("aborted at {}+{:#x}", text, outcome.address)
                                  : "aborted: " + text;
  }
  return "no end: it was killed, or still runs";
}

}  // namespace heddle
