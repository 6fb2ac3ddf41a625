// Entry points of libraries that were not compiled by heddle, with a mark that a thread went in.
//
// A thunk takes the place of a function of the library where other modules call it. It only marks the library
// as entered and jumps on. It changes no register, no flag and no stack. So arguments of any kind, exceptions,
// longjmp and the end of a thread go through it as if it were not there. What the mark means is
// told when the thread next does something that the runtime sees. Until then no other thread runs, and so it
// makes no difference that it is told late.
#pragma once

#include <cstdint>

#include "runtime/sched/thread.h"

namespace heddle::engine {

inline constexpr std::uint32_t kMaxLibraries = sched::kMaxWatchedLibraries;
using LibrarySet = std::uint32_t;  // a bit for each

// The only state that the thunks write, beside the word given to prepare_thunks.
struct Crossing {
  std::uint8_t entered[kMaxLibraries];  // by the running thread, since this was last looked at
  std::uint8_t pending;                 // something was entered, or the running thread is still inside

  void enter(LibrarySet libraries) {
    for (LibrarySet left = libraries; left != 0; left &= left - 1) entered[__builtin_ctz(left)] = 1;
    if (libraries != 0) pending = 1;
  }
  LibrarySet take_entered();
};
[[gnu::visibility("hidden")]] extern Crossing crossing;

// Every thunk also sets all bits of this word.
void prepare_thunks(std::uint64_t* disturbed);

// A thunk that goes on to `target` in this library; 0 when there is no room for more.
std::uint64_t thunk_for(std::uint64_t target, std::uint32_t library);
// Makes the thunks that were asked for ready to be called.
void finish_thunks();

}  // namespace heddle::engine
