#include "tool/record/access_log.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

#include "core/record/elements.h"
#include "core/record/log_format.h"
#include "tool/artifact/container.h"
#include "tool/base/atomic_file.h"
#include "tool/program/program_elf.h"
#include "tool/record/raw_access_log.h"

namespace heddle {
namespace {

// The one section of a collected log.
constexpr std::uint32_t kAccessLogSection = 0x41434c47;  // "ACLG"

// Each after the one before it.
std::string encode_ranks(const AccessVector& vector) {
  ByteWriter bytes;
  std::uint64_t before = 0;
  for (const ThreadRun& run : vector.runs) {
    bytes.varint(run.first_rank - before);
    bytes.varint(run.last_rank - run.first_rank);
    before = run.last_rank;
  }
  return bytes.take();
}

void decode_ranks(std::string_view encoded, AccessVector& vector) {
  if (encoded.empty()) return;
  ByteReader reader(encoded);
  std::uint64_t rank = 0;
  for (ThreadRun& run : vector.runs) {
    run.first_rank = rank += reader.varint();
    run.last_rank = rank += reader.varint();
  }
}

bool decode_vector(std::string_view bytes, AccessVector& vector) {
  ByteReader reader(bytes);
  vector.element = reader.fixed64();
  while (!reader.at_end()) {
    const std::uint64_t who = reader.varint();
    vector.runs.push_back({static_cast<std::uint32_t>(who >> 1), (who & 1) != 0, reader.varint(), 0, 0});
    if (who >> 33 != 0) return false;
  }
  return !reader.failed();
}

// Reads one vector after the other, as far as they make sense.
class VectorDecoder {
 public:
  VectorDecoder(const AccessLog& log, const TakeVector& take) : log_(log), take_(take) {}
  // Of the next vector.
  void ranks(std::string_view bytes) { ranks_ = bytes; }
  void read(std::string_view bytes) {
    if (!sound_ || !status_) return;
    AccessVector vector;
    sound_ =
        decode_vector(bytes, vector) && sum_.add(vector) && (is_first_ || vector.element > last_) &&
        std::ranges::all_of(vector.runs, [&](const ThreadRun& r) { return r.thread < log_.threads.size(); });
    is_first_ = false;
    last_ = vector.element;
    decode_ranks(std::exchange(ranks_, {}), vector);
    if (sound_) status_ = take_(log_, std::move(vector));
  }
  bool sound() const { return sound_; }
  const Status& status() const { return status_; }

 private:
  const AccessLog& log_;
  const TakeVector& take_;
  bool sound_ = true, is_first_ = true;
  std::uint64_t last_ = 0;  // element
  AccessSum sum_;
  std::string_view ranks_;
  Status status_ = Done{};
};

Result<AccessLog> decode(const std::string& path, std::string_view bytes, const TakeVector& take) {
  AccessLog log;
  log.path = path;
  VectorDecoder vectors(log, take);
  const bool sound = read_record(bytes, [&](const Field& f) {
    switch (f.tag) {
      case 1:
        log.build = f.number;
        break;
      case 2:
        log.run = f.number;
        break;
      case 3:
        log.scheme = f.number == 1 ? AccessScheme::kBlocks : AccessScheme::kVariables;
        break;
      case 4:
        log.outcome = f.number <= 2 ? static_cast<RunOutcome>(f.number) : RunOutcome::kUnknown;
        break;
      case 5:
        log.failure_place = f.str();
        break;
      case 6:
        log.elements_in_all = static_cast<std::uint32_t>(f.number);
        break;
      case 7:
        log.incomplete = f.number != 0;
        break;
      case 8:
        log.threads.push_back(f.str());
        break;
      case 9:
        vectors.read(f.bytes);
        break;
      case 10:
        vectors.ranks(f.bytes);
        break;
      default:
        break;
    }
  });
  if (!vectors.status()) return vectors.status().error();
  if (!sound || !vectors.sound())
    return Error{path + " is damaged: its vectors make no sense.", ExitCode::kBadInput};
  return log;
}

bool is_collected(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[8] = {};
  file.read(start, sizeof start);
  return std::string_view(start, 8) == kArtifactMagic;
}

Result<std::string> read_payload(const std::string& path) {
  const ReadLimits limits;
  auto content = read_whole_file(path, limits.file_bytes);
  if (!content) return content.error();
  auto sections = read_container(*content, limits);
  if (!sections) return Error{path + " is damaged: " + sections.error().message, ExitCode::kBadInput};
  for (ArtifactSection& section : *sections) {
    if (section.type == kAccessLogSection) return std::move(section.payload);
  }
  return Error{path + " is no access log.", ExitCode::kBadInput};
}

}  // namespace

bool AccessSum::add(const AccessVector& vector) {
  return std::ranges::all_of(vector.runs, [&](const ThreadRun& run) {
    if (run.accesses > kMostAccesses - accesses_) return false;
    accesses_ += run.accesses;
    return true;
  });
}

Result<AccessLog> read_access_log(const std::string& path, const TakeVector& take) {
  if (!std::ifstream(path, std::ios::binary)) return Error{"Cannot read " + path + ".", ExitCode::kBadInput};
  if (is_collected(path)) {
    const auto payload = read_payload(path);
    if (!payload) return payload.error();
    return decode(path, *payload, take);
  }
  auto log = read_raw_access_log(path);
  if (!log) return log;
  std::vector<AccessVector> vectors = std::exchange(log->vectors, {});
  for (AccessVector& vector : vectors) {
    if (auto taken = take(*log, std::move(vector)); !taken) return taken.error();
  }
  return log;
}

Result<AccessLog> read_access_log(const std::string& path) {
  std::vector<AccessVector> vectors;
  auto log = read_access_log(path, [&](const AccessLog&, AccessVector&& vector) -> Status {
    vectors.push_back(std::move(vector));
    return Done{};
  });
  if (log) log->vectors = std::move(vectors);
  return log;
}

AccessLogWriter::AccessLogWriter(const AccessLog& log) : is_of_blocks_(log.scheme == AccessScheme::kBlocks) {
  bytes_.number(1, log.build);
  bytes_.number(2, log.run);
  bytes_.number(3, static_cast<std::uint64_t>(log.scheme));
  bytes_.number(4, static_cast<std::uint64_t>(log.outcome));
  bytes_.text(5, log.failure_place);
  bytes_.number(6, log.elements_in_all);
  bytes_.number(7, log.incomplete ? 1 : 0);
  for (const std::string& name : log.threads) bytes_.element(8, name);
}

void AccessLogWriter::add(const AccessVector& vector) {
  if (is_of_blocks_) bytes_.element(10, encode_ranks(vector));
  ByteWriter bytes;
  bytes.fixed64(vector.element);
  for (const ThreadRun& run : vector.runs) {
    bytes.varint(std::uint64_t{run.thread} << 1 | (run.with_last ? 1 : 0));
    bytes.varint(run.accesses);
  }
  bytes_.element(9, bytes.bytes());
}

Status AccessLogWriter::write(const std::string& path) {
  return write_file_atomically(path, write_container({{kAccessLogSection, true, bytes_.take()}}));
}

Status write_access_log(const std::string& path, const AccessLog& log) {
  AccessLogWriter writer(log);
  for (const AccessVector& vector : log.vectors) writer.add(vector);
  return writer.write(path);
}

Result<std::vector<SharedElement>> read_elements(const std::string& program, AccessScheme scheme) {
  auto file = ElfFile::open(program);
  if (!file) return file.error();
  if (!file->has_section(record::kElementNameSection))
    return Error{program + " has no shared elements that could be recorded: build it with heddle c++ --full.",
                 ExitCode::kBadInput};
  std::vector<SharedElement> elements;
  const std::string text = file->section_text(record::kElementNameSection);
  ByteReader reader(text);
  const auto string = [&reader, &text] {
    const char* from = text.data() + (text.size() - reader.remaining());
    const std::size_t length = strnlen(from, reader.remaining());
    std::string answer(from, length);
    reader.raw(length + 1);
    return answer;
  };
  while (!reader.at_end()) {
    SharedElement element;
    element.id = reader.fixed64();
    const std::string_view kind = reader.raw(1);
    element.name = reader.failed() ? "" : string();
    element.place = reader.failed() ? "" : string();
    if (reader.failed() || static_cast<unsigned char>(kind[0]) >= record::kElementKinds)
      return Error{"The table of shared elements in " + program + " is damaged.", ExitCode::kBadInput};
    element.kind = static_cast<ElementKind>(kind[0]);
    if ((element.kind == ElementKind::kBlock) == (scheme == AccessScheme::kBlocks))
      elements.push_back(std::move(element));
  }
  std::sort(elements.begin(), elements.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  elements.erase(std::unique(elements.begin(), elements.end(),
                             [](const auto& a, const auto& b) { return a.id == b.id; }),
                 elements.end());
  return elements;
}

}  // namespace heddle
