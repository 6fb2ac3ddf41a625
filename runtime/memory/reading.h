// What callers of the memory model say and get: places in memory, candidates of a read, a read under way.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/run_spec.h"
#include "runtime/memory/location.h"

namespace heddle::memory {

struct Options {
  ModelKind model = ModelKind::kCxx20;
  PruneKind prune = PruneKind::kWindow;
  std::uint64_t window = 0;  // kWindow: stores per location; kAggressive: stores in all; 0: default
  std::uint64_t memory_limit = 512ull << 20;  // locations stop growing beyond it
  bool record = false;                        // keep what modification_order_positions() needs

  static Options from(const RunSpec& spec) {
    return {spec.model, spec.prune, spec.prune_window, spec.memory_limit,
            spec.record_events != 0 || spec.verify != 0};
  }
};

struct Place {
  Address address = 0;
  std::uint8_t size = 0;  // 1, 2, 4, 8 or 16
  Value memory;           // what real memory holds
};

// What real memory is to hold.
struct Rewritten {
  Address address = 0;
  Value value;
  std::uint8_t size = 0;
};

// What picking a candidate means.
enum class ReadOutcome : std::uint8_t {
  kRead = 0,     // a load: commit_load; an update: commit_update
  kCasSuccess,   // commit_update
  kCasFailure,   // commit_load, with the failure order
  kCasSpurious,  // commit_load: a weak CAS that fails though the values are equal
};

struct Candidate {
  Value value;
  Sequence store = 0;         // within the location, until the commit
  std::uint32_t ordinal = 0;  // with `writer`: ChoiceKey::store(writer, ordinal)
  EventId event = kNoEvent;
  ThreadId writer = kNoThread;  // kNoThread: the initial store
  ReadOutcome outcome = ReadOutcome::kRead;
  bool newest = false;  // what real memory holds
};
static_assert(sizeof(Candidate) == 32);

struct CasRequest {
  MemoryOrder success = MemoryOrder::kSeqCst;
  MemoryOrder failure = MemoryOrder::kSeqCst;
  Value expected;
  bool weak = false;
};

// A read under way: the stores that it may read, and what its commit needs. It lives with the caller, in
// registers where the way is short.
struct Reading {
  Location* location = nullptr;
  Accessor* accessor = nullptr;  // the thread's, if it has accessed the location before
  ThreadId thread = kNoThread;
  MemoryOrder order = MemoryOrder::kRelaxed;
  bool settled = false;     // only the newest can be read, and all others are before it
  bool listed = false;      // there are more than fit a word: they are in the model's list
  std::uint8_t placed = 0;  // not 0: it may enter S before others, and the model knows where (overtaking.h)
  std::uint32_t count = 1;
  std::uint64_t ages = 0;              // not settled, not listed: the candidates as newest_at_top has them
  std::uint64_t known = 0;             // not settled: the stores that bind the thread, where they fit a word
  const std::uint64_t* all = nullptr;  // otherwise these
};

// The location of a place, and what a thread has accessed of it, where both are there and nothing is unusual
// about them. Otherwise null, and begin_load and its like find out.
struct Found {
  Location* location = nullptr;
  Accessor* accessor = nullptr;
  explicit operator bool() const { return accessor != nullptr; }
};

}  // namespace heddle::memory
