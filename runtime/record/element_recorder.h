// Records in which order the threads of a native run come to shared program elements: access vectors after
// LEAP, or block vectors after PRES-BB (Machado, PhD thesis, 3.1), of the elements that this instance was
// told to record.
//
// Compiled code calls __heddle_*_element where an element's entry is marked as chosen
// (compiler/plugin/element_hooks.h). A write holds the element's entry as a lock while it lasts and leaves
// the next version in it; a read looks at the version before and after, takes no lock, and is repeated if
// somebody wrote meanwhile. So the order that is recorded is the one that happened. What a thread did goes to
// slots and tokens of its own in the mapped log (core/record/element_log.h): between accesses of other
// threads an access costs a few instructions and no log.
//
// Thread-safety: all of it, but start() and choose() while one thread runs.
#pragma once

#include <cstdint>

#include "core/record/elements.h"
#include "core/record/log_format.h"

namespace heddle::record {

// What is to be recorded: HEDDLE_RECORD.
struct ElementChoice {
  LogKind kind = LogKind::kVariables;
  std::uint32_t percent = 100;             // of the elements; 0: one of them
  std::uint64_t instance = 0;              // whose draw it is
  const std::uint64_t* profile = nullptr;  // ids that were seen shared, sorted; nullptr: all that may be
  std::uint64_t profile_count = 0;
};

// What the log does for this recorder.
struct LogAccess {
  // Fresh zeroed bytes of the calling thread's part of the log; nullptr: its bound was hit, or the thread has
  // none.
  void* (*chunk)(ChunkKind kind, std::uint64_t bytes) = nullptr;
  // Nothing will be written to them any more.
  void (*seal)(void* bytes, std::uint64_t used) = nullptr;
  // The log's bound was hit: it ends here.
  void (*truncated)() = nullptr;
};

void start_element_recorder(const ElementChoice& choice, const LogAccess& log);
// The elements of a module that was loaded. `all_static`: the profile is not for it (--spes=static). An
// element that an earlier module has, too, is the same one. False: nothing was chosen now.
bool choose_elements(ElementEntry* begin, ElementEntry* end, bool all_static);
// The module that has them is unloaded.
void forget_elements(const ElementEntry* begin);
// In a child process, or at the end: nothing more is recorded.
void stop_element_recorder();

// The calling thread is known to the log from here on: what a thread does before (a signal may come early) is
// not recorded.
void begin_element_thread();
// The calling thread ends: what it recorded is whole.
void end_element_thread();

// An access by code that only knows the engine's calls.
void touch_element(ElementEntry* entry);
// took_lock: the thread took a lock, which is an element. took_again: a wait has taken the lock again, under the
// name by which this thread took it last.
void took_lock(ElementEntry* entry, const void* lock);
void took_again(const void* lock);

}  // namespace heddle::record
