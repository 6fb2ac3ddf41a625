// Streams on the program's memory (fmemopen, open_memstream): libc writes it when the stream is flushed or
// closed.
#pragma once

#include <stdio.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {

// After fflush or fclose of a stream; null: all streams.
void stream_settles(const ProgramCall& call, const FILE* stream, bool is_closed);

}  // namespace heddle::abi
