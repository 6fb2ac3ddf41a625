// Files that are whole or not there, and what is no file written through.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace heddle {

// Writes all of `content` to where `path` leads; directories on the way are made.
//
// A regular file, or one that is not there yet, is written under another name in the same directory, put on
// the disk and renamed: at any moment it is what it was before or all of `content`. A symbolic link is
// followed and stays. A device, a FIFO or one of our own descriptors (/dev/stdout, /dev/fd/N) is written to,
// never replaced.
Status write_file_atomically(const std::string& path, std::string_view content);

// A FIFO that nobody has opened, or a pipe whose reader does not read, is waited for until this answers true:
// the user wants the command to end. What is not written then was wanted by nobody, which is no error. Set
// once, before there are threads; nullptr: the wait has no end.
void set_gives_up_writing(bool (*gives_up)());

// A file that must not be there yet: false where the name is taken. What is read under `path` is all of
// `content`, at any moment and whatever becomes of this process.
Result<bool> write_new_file(const std::string& path, std::string_view content);

// The whole of a regular file of at most `limit` bytes.
Result<std::string> read_whole_file(const std::string& path, std::uint64_t limit);

// What was not possible, by errno, and where the reason is known what to do: "Cannot write x: …".
Error system_failure(std::string_view what, const std::string& path);

}  // namespace heddle
