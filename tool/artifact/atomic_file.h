// Files that are whole or not there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace heddle {

// Writes `content` under a temporary name in the same directory, syncs it to the disk and renames it to
// `path`: at any moment `path` is what it was before or all of `content`. Directories on the way are made.
Status write_file_atomically(const std::string& path, std::string_view content);

// The whole of a regular file of at most `limit` bytes.
Result<std::string> read_whole_file(const std::string& path, std::uint64_t limit);

}  // namespace heddle
