#include "tool/record/access_log.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "core/record/elements.h"
#include "core/record/log_format.h"
#include "tool/artifact/atomic_file.h"
#include "tool/artifact/bytes.h"
#include "tool/artifact/container.h"
#include "tool/artifact/program_elf.h"
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
  ByteReader reader(encoded);
  std::uint64_t rank = 0;
  for (ThreadRun& run : vector.runs) {
    run.first_rank = rank += reader.varint();
    run.last_rank = rank += reader.varint();
  }
}

std::string encode(const AccessLog& log) {
  ByteWriter w;
  w.number(1, log.build);
  w.number(2, log.run);
  w.number(3, static_cast<std::uint64_t>(log.scheme));
  w.number(4, static_cast<std::uint64_t>(log.outcome));
  w.text(5, log.failure_place);
  w.number(6, log.elements_in_all);
  w.number(7, log.incomplete ? 1 : 0);
  for (const std::string& name : log.threads) w.element(8, name);
  for (const AccessVector& vector : log.vectors) {
    ByteWriter bytes;
    bytes.fixed64(vector.element);
    for (const ThreadRun& run : vector.runs) {
      bytes.varint(std::uint64_t{run.thread} << 1 | (run.with_last ? 1 : 0));
      bytes.varint(run.accesses);
    }
    w.element(9, bytes.bytes());
  }
  if (log.scheme == AccessScheme::kBlocks) {
    for (const AccessVector& vector : log.vectors) w.element(10, encode_ranks(vector));
  }
  return w.take();
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

Result<AccessLog> decode(const std::string& path, std::string_view bytes) {
  AccessLog log;
  log.path = path;
  std::size_t ranked = 0;
  bool sound = read_record(bytes, [&](const Field& f) {
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
        log.vectors.emplace_back();
        if (!decode_vector(f.bytes, log.vectors.back()))
          log.vectors.back().runs.push_back({~0u, false, 0, 0, 0});
        break;
      case 10:
        if (ranked < log.vectors.size()) decode_ranks(f.bytes, log.vectors[ranked++]);
        break;
      default:
        break;
    }
  });
  for (const AccessVector& vector : log.vectors) {
    for (const ThreadRun& run : vector.runs) sound = sound && run.thread < log.threads.size();
  }
  const auto by_element = [](const AccessVector& a, const AccessVector& b) { return a.element < b.element; };
  if (!sound || !std::is_sorted(log.vectors.begin(), log.vectors.end(), by_element))
    return Error{path + " is damaged: its vectors make no sense.", ExitCode::kBadInput};
  return log;
}

}  // namespace

Result<AccessLog> read_access_log(const std::string& path) {
  std::uint64_t magic = 0;
  {
    std::ifstream file(path, std::ios::binary);
    char start[8] = {};
    if (!file) return Error{"Cannot read " + path + ".", ExitCode::kBadInput};
    file.read(start, sizeof start);
    std::memcpy(&magic, start, sizeof magic);
    if (std::string_view(start, 8) != kArtifactMagic) return read_raw_access_log(path);
  }
  const ReadLimits limits;
  auto content = read_whole_file(path, limits.file_bytes);
  if (!content) return content.error();
  auto sections = read_container(*content, limits);
  if (!sections) return Error{path + " is damaged: " + sections.error().message, ExitCode::kBadInput};
  for (const ArtifactSection& section : *sections) {
    if (section.type == kAccessLogSection) return decode(path, section.payload);
  }
  return Error{path + " is no access log.", ExitCode::kBadInput};
}

Status write_access_log(const std::string& path, const AccessLog& log) {
  return write_file_atomically(path, write_container({{kAccessLogSection, true, encode(log)}}));
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
