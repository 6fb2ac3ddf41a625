#include "tool/artifact/artifact.h"

#include <fmt/format.h>

#include "tool/artifact/codec.h"
#include "tool/base/atomic_file.h"

namespace heddle {

std::string serialise(const Trace& trace) { return write_container(encode_trace(trace)); }

Result<Trace> parse_artifact(std::string_view file, const ReadLimits& limits) {
  const auto sections = read_container(file, limits);
  if (!sections) return sections.error();
  return decode_trace(*sections);
}

Status write_artifact(const std::string& path, const Trace& trace) {
  return write_file_atomically(path, serialise(trace));
}

Result<Trace> read_artifact(const std::string& path, const ReadLimits& limits) {
  const auto file = read_whole_file(path, limits.file_bytes);
  if (!file) return file.error();
  auto trace = parse_artifact(*file, limits);
  if (!trace) return Error{fmt::format("{}: {}", path, trace.error().message), trace.error().code};
  return trace;
}

}  // namespace heddle
