// Logs of native runs as files: the container (core/record/log_format.h), raw or compressed, for whatever is
// recorded in it. Nothing in the file is believed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/record/log_format.h"

namespace heddle {

struct LogChunk {
  record::ChunkHeader header;
  std::uint64_t offset = 0;  // in the file
  std::string_view bytes;    // after the header; of an open chunk all that there is room for
  bool is_open = false;      // the process ended before the chunk did
};

struct RawLog {
  std::string path;
  record::LogHeader header;
  std::vector<LogChunk> chunks;  // in the order of the file
  std::string image;             // what the chunks' bytes lie in

  RawLog() = default;
  RawLog(RawLog&&) = default;
  RawLog& operator=(RawLog&&) = default;

  std::string program() const;
  std::vector<std::string> modules() const;  // that were built with --full
  // "0.1": by parent and order of creation, for each number. An error if the entries make no sense.
  Result<std::vector<std::string>> thread_names() const;
};

Result<RawLog> read_log(const std::string& path);

// Writes the log without what is not used, compressed.
Status write_collected(const RawLog& log, const std::string& path);

// How the run ended, in words: "exit status 0", "assertion failed at file:line: …".
std::string outcome_text(const record::Outcome& outcome);
bool is_failure(const record::Outcome& outcome);

}  // namespace heddle
