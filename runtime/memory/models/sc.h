// sc: every read sees the last store executed.
#pragma once

#include "runtime/memory/bounds.h"
#include "runtime/memory/models/cxx20.h"
#include "runtime/memory/models/model.h"

namespace heddle::memory {

class Sc {
 public:
  static void bind(Bounds& bounds, const Location& x, const ThreadClocks&, const BoundAccess&) {
    bounds.set_to_all(x);
  }

  // Happens-before is that of c++20: races are judged by it.
  static constexpr Model kModel = {.reads_old_stores = false,
                                   .fits_in_a_word = false,
                                   .seq_cst_reads_bind = false,
                                   .failure_differs = false,
                                   .messages_carry_fences = false,
                                   .overtakes = false,
                                   .reads_back_freely = false,
                                   .bind = bind,
                                   .join_fence = Cxx20::join_fence};
};

}  // namespace heddle::memory
