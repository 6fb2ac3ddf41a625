// One failure that a campaign looks for, and goes on past all others: `--look-for`, and reconstruction.
#pragma once

#include <string>

#include "tool/findings/same_bug.h"

namespace heddle::run {

class WantedFailure {
 public:
  static WantedFailure any();  // bug whatsoever
  // As the log of a native run tells how it ended (failure_place.h); empty: it never did.
  static WantedFailure at_place(std::string place);
  // The bug that an execution is kept for: its first finding, in this build or in another one.
  static WantedFailure like(const Trace& trace);

  // REQUIRES: the trace is symbolised.
  bool is(const Trace& trace, const TraceFinding& finding) const;

 private:
  bool any_ = false;
  bool by_place_ = false;
  std::string place_;
  SameBug bug_;
};

}  // namespace heddle::run
