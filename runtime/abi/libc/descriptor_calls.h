// read and write of the program's descriptors, whoever makes them: the kernel's results, and nothing told of
// the buffers.
#pragma once

#include <sys/uio.h>

#include "runtime/abi/blocking_call.h"

namespace heddle::abi {

long read_some(Execution& e, int descriptor, void* buffer, std::size_t bytes, std::uint64_t pc);
long readv_some(Execution& e, int descriptor, const iovec* parts, int count, std::uint64_t pc);
// A blocking write ends when everything is written, or an error comes after a part of it (POSIX write).
long write_all(Execution& e, int descriptor, const void* buffer, std::size_t bytes, std::uint64_t pc);
long writev_all(Execution& e, int descriptor, const iovec* parts, int count, std::uint64_t pc);

}  // namespace heddle::abi
