// Standard input, output and error as the rest of the program may rely on them: they are there, and to write
// to them does not fail.
//
// A stream that was closed gets /dev/null, so that no memory file or socket of ours is taken for it. A reader
// that has gone (`heddle show x | head -1`) has read enough: what follows is dropped, quietly, and a campaign
// goes on. Any other failure is remembered and told at the end.
#pragma once

namespace heddle::cli {

// Once, before anything else. SIGPIPE and SIGXFSZ become failures of the call; programs that we start have
// their default action again.
void prepare_standard_streams();

// Writes what is in the buffers, and says so where standard output could not be written. Answers the exit
// code: `code`, unless it was 0 and something was lost.
int finish_standard_streams(int code);

}  // namespace heddle::cli
