// Model: what tells one memory model from another. Each model is one class in one file of this folder; the
// rest of runtime/memory is the same for all of them.
//
// The flags are read at every access, so they are plain data. The functions are called only where the short way
// of Bounds::in_a_word does not do, and at seq_cst fences.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/run_spec.h"

namespace heddle::memory {

class Bounds;
class ThreadClocks;
struct Location;

struct BoundAccess {
  ThreadId thread = kNoThread;
  bool seq_cst = false;
  bool writes = false;  // a store or update
};

struct Model {
  // May a read see a store that is not the newest? Otherwise one store of each location is kept.
  bool reads_old_stores = true;
  // Where no seq_cst fence has to do with an access, are its bounds those of Bounds::in_a_word?
  bool fits_in_a_word = false;
  // Do seq_cst reads bind later seq_cst accesses of the location? Writes do in every model.
  bool seq_cst_reads_bind = false;
  // Is a failed compare-exchange bound otherwise than a successful one, though their orders are the same?
  bool failure_differs = false;
  // Do messages carry the seq_cst fences that happen before them?
  bool messages_carry_fences = false;
  // May a seq_cst operation enter S before others that were executed earlier?
  bool overtakes = false;
  // Does a seq_cst load that reads back a plain store of its own thread order nothing in S after that store?
  bool reads_back_freely = false;
  // Adds the stores that bind the access. The initial store is among them already.
  void (*bind)(Bounds& bounds, const Location& x, const ThreadClocks& clocks,
               const BoundAccess& access) = nullptr;
  // What a seq_cst fence of thread `t` adds to the clock G that all share.
  void (*join_fence)(std::uint32_t* global, const std::uint32_t* clock, std::uint32_t width,
                     std::uint32_t t) = nullptr;
};

// The only place that knows all models.
const Model& model_of(ModelKind kind);

}  // namespace heddle::memory
