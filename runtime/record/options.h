// HEDDLE_RECORD: what is recorded of a native run, and where.
//
//   KIND:DIRECTORY[,OPTION=VALUE…]     KIND: path, vars, blocks
//   limit=N[K|M|G]   bytes of the log, at most; 256M by default
// Other options are the recorders' own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/record/log_format.h"

namespace heddle::record {

struct Options {
  static constexpr std::size_t kMostPath = 480;
  LogKind kind = LogKind::kPath;
  char directory[kMostPath] = {};
  std::uint64_t limit = 256ull << 20;
  const char* rest = "";  // from the first option on

  // The value of an option, as in the text: it ends at a comma or at the end. nullptr: not given.
  const char* find(const char* name) const;
};

// nullptr if `text` makes sense, or else what is wrong with it.
const char* parse_options(const char* text, Options& options);

// A number with an optional K, M or G; false if it is none.
bool parse_bytes(const char* text, std::uint64_t& bytes);

}  // namespace heddle::record
