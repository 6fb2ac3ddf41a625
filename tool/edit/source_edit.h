// Changes of single words of source files, and the patch that says them. Who makes them has read the files; nothing is
// written here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tool/edit/source_tokens.h"

namespace heddle::edit {

struct SourceEdit {
  std::string file;          // as the debug information names it
  std::uint32_t line = 0;    // 1 is the first
  std::uint32_t column = 0;  // of the first byte
  std::string before, after;

  friend auto operator<=>(const SourceEdit&, const SourceEdit&) = default;
};

// The lines of a file. An error where it cannot be read.
Result<SourceText> read_source(const std::string& file);

// What `patch -p1` and `git apply` take: the edits with three lines around them, files named from `directory` on where
// they lie below it. Edits at one place count once. An error where a file does not have what an edit replaces.
Result<std::string> unified_diff(std::vector<SourceEdit> edits,
                                 const std::map<std::string, SourceText>& files,
                                 const std::string& directory);

}  // namespace heddle::edit
