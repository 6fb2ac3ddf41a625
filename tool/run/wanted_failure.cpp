#include "tool/run/wanted_failure.h"

#include <algorithm>

#include "tool/findings/fingerprint.h"
#include "tool/run/failure_place.h"
#include "tool/trace/stack_view.h"

namespace heddle::run {
namespace {

// Of each deciding part the line to blame, in order.
std::vector<std::string> lines_of(const Trace& trace, const TraceFinding& finding) {
  std::vector<std::string> lines;
  for (const TracePart* part : deciding_parts(finding)) {
    const std::vector<Frame> frames = visible_frames(trace, part->pc, part->stack);
    const Frame* frame = deciding_frame(frames);
    if (frame == nullptr || frame->line == 0) return {};
    lines.push_back(frame->file.substr(frame->file.rfind('/') + 1) + ":" + std::to_string(frame->line));
  }
  std::ranges::sort(lines);
  return lines;
}

}  // namespace

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
  if (trace.findings.empty()) return wanted;
  const TraceFinding& finding = trace.findings.front();
  wanted.kind_ = finding.kind;
  wanted.fingerprint_ = fingerprint(trace, finding);
  wanted.lines_ = lines_of(trace, finding);
  return wanted;
}

bool WantedFailure::is(const Trace& trace, const TraceFinding& finding) const {
  if (any_) return finding.severity == Severity::kBug;
  if (by_place_) return is_failure_at(trace, finding, place_);
  if (finding.kind != kind_) return false;
  if (fingerprint(trace, finding) == fingerprint_) return true;
  return !lines_.empty() && lines_of(trace, finding) == lines_;
}

}  // namespace heddle::run
