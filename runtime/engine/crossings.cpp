// Calls into libraries that were not compiled by heddle, and back.
//
// A trusted library (--trust-library) may hand what the program did before any call of it to whoever returns
// from it, or is called by it, later: each has a clock into which a thread releases when it goes in, and from
// which it acquires when it comes out. That is more than most calls do, and so it can hide a race; it never
// makes one. Both edges are made when the thread is next seen: by an access, a function or an operation of
// the program, which is then out of the library, or by an operation that the library makes, after which the
// thread is still inside and acquires once more when it comes out.
#include "runtime/engine/callers.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/library_watch.h"

namespace heddle::engine {

using sched::Thread;

void Execution::start_watching() {
  const RunSpec& s = spec();
  watch_libraries(s.trusted_libraries, recording_);
  watching_ = watches_libraries();
  prepare_thunks(race_.stamp_word());
}

void Execution::note_trusted_libraries() { channel_.header()->trusted_matched |= matched_templates(); }

bool Execution::is_program_code(std::uint64_t pc) { return caller_at(pc) == Caller::kInstrumented; }

void Execution::cross(bool out) {
  Thread& t = self();
  const LibrarySet entered = crossing.take_entered();
  t.libraries |= entered;
  for (LibrarySet left = t.libraries & trusted_libraries(); left != 0; left &= left - 1) {
    std::uint32_t& clock = library_clocks_[__builtin_ctz(left)];
    if ((entered & left & -left) != 0) edges_.release(clock);
    edges_.acquire(clock, t.id);
  }
  if (recording_) note_crossing(t, entered);
  if (out) t.libraries = 0;
  crossing.pending = t.libraries != 0;
  enter_epoch();
}

// For explains_race: where a thread last went into a library, and where it was last seen to come from one.
void Execution::note_crossing(Thread& t, LibrarySet entered) {
  for (LibrarySet left = t.libraries; left != 0; left &= left - 1) {
    const auto library = static_cast<std::uint32_t>(__builtin_ctz(left));
    if ((entered & left & -left) != 0) t.entered_library[library] = index_of(next_event()) + 1;
    t.left_library[library] = index_of(next_event()) + 1;
  }
}

void Execution::enter_from(std::uint64_t caller_pc) {
  Thread& t = self();
  if (t.depth < t.callback_depth) t.callback_libraries = t.callback_depth = 0;  // left by a jump
  const KnownCall& call = call_at(caller_pc);
  if (call.caller == Caller::kInstrumented || caller_pc == 0) {
    if (crossing.pending != 0) before_access();
    return;
  }
  // Its way in may not have been seen: a table of functions inside the library, a thread of its own.
  if (call.library != kNoLibrary) crossing.enter(LibrarySet{1} << call.library);
  if (crossing.pending == 0) return;
  before_call(caller_pc);
  if (t.callback_libraries == 0) t.callback_depth = t.depth + 1;
  t.callback_libraries |= t.libraries;
  t.libraries = 0;
  crossing.pending = 0;
  enter_epoch();
}

void Execution::return_to_caller() {
  Thread& t = self();
  if (crossing.pending != 0) before_access();
  if (t.callback_libraries == 0 || t.depth == 0 || t.depth > sched::kMaxCallDepth) return;
  if (caller_at(t.frames[t.depth - 1].pc) == Caller::kInstrumented) return;
  // Between the library and the function that it called may lie others (qsort, std::call_once).
  crossing.enter(t.callback_libraries);
  race_.unsettle();
  if (t.depth <= t.callback_depth) t.callback_libraries = t.callback_depth = 0;
}

// Could it be that the earlier access was handed over through this library? Its thread has gone into the
// library since, and the other one has come from there.
bool Execution::explains_race(std::uint32_t library, const race::Race& race) {
  const auto since = [&](std::uint32_t event) { return event > index_of(race.previous.event); };
  return since(scheduler_.thread(race.previous.thread).entered_library[library]) &&
         since(scheduler_.thread(race.current.thread).left_library[library]);
}

void Execution::cite_libraries(FindingBuilder& finding, const race::Race& race) {
  if (!recording_ || race.previous.event == kNoEvent) return;
  for (std::uint32_t i = 0; i < kMaxLibraries; ++i) {
    if ((trusted_libraries() >> i & 1) != 0 || !explains_race(i, race)) continue;
    FindingPart& part = finding.part(PartRole::kThroughLibrary, self(), 0);
    part.stack = kEmptyStack;
    part.thread = kNoThread;
    part.text = channel_.add_text(library_name(i), strlen(library_name(i)));
  }
}

}  // namespace heddle::engine
