// What readers of path logs do with bytes from anywhere: the control flow out of a binary's section, and a
// log that is walked along it. The input is the section, and then the log (log_layout.h).
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/log_layout.h"
#include "tool/record/path_log.h"
#include "tool/record/path_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  constexpr std::size_t kMost = 1 << 14;  // steps of a thread
  static fuzz::MemoryFile file;
  ByteReader input(fuzz::bytes_of(data, size));
  auto functions = parse_path_section(input.string());
  if (!functions || input.failed()) return fuzz::judged(false, "its section makes no sense");
  PathTables tables;
  auto& all = const_cast<PathTables::Tables&>(tables.tables());
  all.modules.push_back("program");
  for (PathFunction& function : *functions)
    all.functions.try_emplace(static_cast<std::uint64_t>(function.key), std::move(function));
  all.connect();

  std::string image = fuzz::laid_out(input);
  record::LogHeader header;
  std::memcpy(&header, image.data(), sizeof header);
  header.kind = record::LogKind::kPath;
  header.build = tables.build();
  std::memcpy(image.data(), &header, sizeof header);
  const auto log = read_path_log(file.hold(image), tables, kMost, kMost);
  if (!log) return fuzz::judged_result(log);
  std::uint64_t steps = 0;
  for (const ThreadPath& thread : log->threads) {
    steps += thread.steps.size();
    fuzz::require(thread.steps.size() == thread.decisions + thread.marks || thread.steps.size() == kMost);
    fuzz::require(first_difference(thread, thread) == thread.steps.size());
    for (std::size_t i = 0; i < std::min<std::size_t>(thread.steps.size(), 64); ++i)
      static_cast<void>(tables.describe(thread.steps[i].place));
  }
  return fuzz::judged(steps != 0, "it has no steps");
}
