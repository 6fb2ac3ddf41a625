// Files that were open when the zygote was made. Executions share them with it, and so with each other: where
// each stands in them is put back before the next execution.
#pragma once

namespace heddle::session {

// Notes where every open file stands, except the one that takes the program's output.
void keep_offsets(int output);
void restore_offsets();

}  // namespace heddle::session
