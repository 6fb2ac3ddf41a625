#include "tool/run/wanted_failure.h"

#include "tool/run/failure_place.h"

namespace heddle::run {

WantedFailure WantedFailure::any() {
  WantedFailure wanted;
  wanted.any_ = true;
  return wanted;
}

WantedFailure WantedFailure::at_place(std::string place) {
  WantedFailure wanted;
  wanted.by_place_ = true;
  wanted.place_ = std::move(place);
  return wanted;
}

WantedFailure WantedFailure::like(const Trace& trace) {
  WantedFailure wanted;
  wanted.bug_ = SameBug(trace);
  return wanted;
}

bool WantedFailure::is(const Trace& trace, const TraceFinding& finding) const {
  if (any_) return finding.severity == Severity::kBug;
  if (by_place_) return is_failure_at(trace, finding, place_);
  return bug_.is(trace, finding);
}

}  // namespace heddle::run
