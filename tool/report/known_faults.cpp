#include "tool/report/known_faults.h"

#include "tool/report/operation.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

// A waiter reads the counter, fails to take the token that it saw, and goes to sleep on that value, which may
// have come back meanwhile: the release found nobody asleep.
const KnownFault kSemaphore = {
    "libstdc++",
    "libstdc++'s std::counting_semaphore and std::binary_semaphore may sleep while a token is there (GCC bug "
    "104928). Use a sem_t, or a mutex and a condition variable, or a library without the fault."};

// What the newest store that the trace shows left at this address.
std::uint64_t last_value(const Trace& trace, Address address) {
  const TraceEvent* newest = nullptr;
  for (const TraceEvent& event : trace.events) {
    if (event.address == address && event.mo_position != 0 &&
        (newest == nullptr || event.mo_position > newest->mo_position))
      newest = &event;
  }
  return newest != nullptr ? value_written(*newest) : 0;
}

bool is_in(const Frame& frame, std::string_view function, std::string_view file) {
  return frame.function.starts_with(function) && frame.file.ends_with(file);
}

}  // namespace

const KnownFault* known_fault(const Trace& trace, const TraceFinding& finding) {
  if (finding.kind != FindingKind::kLostWakeUp && finding.kind != FindingKind::kDeadlock) return nullptr;
  for (const TracePart& part : finding.parts) {
    for (const Frame& frame : visible_frames(trace, part.pc, part.stack)) {
      if (is_in(frame, "std::__atomic_semaphore::_M_acquire", "bits/semaphore_base.h") &&
          last_value(trace, part.address) != 0)
        return &kSemaphore;
    }
  }
  return nullptr;
}

}  // namespace heddle::report
