#include "runtime/engine/crossings.h"

#include "runtime/engine/callers.h"
#include "runtime/engine/library_watch.h"

namespace heddle::engine {

using sched::Thread;

namespace {

// For explains(): where a thread last went into a library, and where it was last seen to come from one.
void note_crossing(Thread& t, LibrarySet entered, EventId next) {
  for (LibrarySet left = t.libraries; left != 0; left &= left - 1) {
    const auto library = static_cast<std::uint32_t>(__builtin_ctz(left));
    if ((entered & left & -left) != 0) t.entered_library[library] = index_of(next) + 1;
    t.left_library[library] = index_of(next) + 1;
  }
}

}  // namespace

void Crossings::start(const char* trusted, bool all, std::uint64_t* stamp_word) {
  watch_libraries(trusted, all);
  watching_ = watches_libraries();
  prepare_thunks(stamp_word);
}

void Crossings::cross(Thread& t, bool out, EventId next) {
  const LibrarySet entered = crossing.take_entered();
  t.libraries |= entered;
  for (LibrarySet left = t.libraries & trusted_libraries(); left != 0; left &= left - 1) {
    std::uint32_t& clock = clocks_[__builtin_ctz(left)];
    if ((entered & left & -left) != 0) edges_.release(clock);
    edges_.acquire(clock, t.id);
  }
  if (next != kNoEvent) note_crossing(t, entered, next);
  if (out) t.libraries = 0;
  crossing.pending = t.libraries != 0;
  edges_.enter_epoch();
}

bool Crossings::note_caller(Thread& t, std::uint64_t caller_pc) {
  if (t.depth < t.callback_depth) t.callback_libraries = t.callback_depth = 0;  // left by a jump
  const KnownCall& call = call_at(caller_pc);
  if (call.caller == Caller::kInstrumented || caller_pc == 0) return true;
  // Its way in may not have been seen: a table of functions inside the library, a thread of its own.
  if (call.library != kNoLibrary) crossing.enter(LibrarySet{1} << call.library);
  return false;
}

void Crossings::call_back(Thread& t, EventId next) {
  cross(t, false, next);
  if (t.callback_libraries == 0) t.callback_depth = t.depth + 1;
  t.callback_libraries |= t.libraries;
  t.libraries = 0;
  crossing.pending = 0;
  edges_.enter_epoch();
}

bool Crossings::note_return(Thread& t) {
  if (t.callback_libraries == 0 || t.depth == 0 || t.depth > sched::kMaxCallDepth) return false;
  if (caller_at(t.frames[t.depth - 1].pc) == Caller::kInstrumented) return false;
  // Between the library and the function that it called may lie others (qsort, std::call_once).
  crossing.enter(t.callback_libraries);
  if (t.depth <= t.callback_depth) t.callback_libraries = t.callback_depth = 0;
  return true;
}

bool Crossings::explains(std::uint32_t library, const race::Race& race, const Thread& earlier,
                         const Thread& later) {
  if ((trusted_libraries() >> library & 1) != 0) return false;
  const auto since = [&](std::uint32_t event) { return event > index_of(race.previous.event); };
  return since(earlier.entered_library[library]) && since(later.left_library[library]);
}

}  // namespace heddle::engine
