#include "tool/replay/symbolic.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "tool/findings/fingerprint.h"
#include "tool/program/program_elf.h"
#include "tool/replay/fold_waits.h"
#include "tool/replay/replay.h"
#include "tool/replay/symbolic_oracle.h"
#include "tool/trace/stack_view.h"

namespace heddle::replay {
namespace {

constexpr const char* kGraphSection = "heddle_graph";  // compiler/plugin/graph_hash.h

Result<run::SingleRun> run_once(const run::Target& target, const Trace& original, AfterFailure after,
                                bool fresh_memory, std::span<const Granule> also_shared, bool path_trace) {
  RunSpec spec = original.spec;
  spec.replay = ReplayKind::kExact;
  spec.plain_events = PlainEvents::kShared;
  spec.symbolic = 1;
  spec.path_trace = path_trace ? 1 : 0;
  spec.fresh_memory = fresh_memory ? 1 : 0;
  spec.run_on = after == AfterFailure::kRunOn ? 1 : 0;
  run::SingleOptions options;
  options.index = original.execution;
  options.replay = original.choices;
  options.also_shared = also_shared;
  options.kept_events = std::numeric_limits<std::size_t>::max();
  return run::run_single(target, spec, options);
}

// Where a finding's parts are, as far as that is known.
std::vector<Frame> places_of(const Trace& trace, const TraceFinding& finding) {
  std::vector<Frame> places;
  for (const TracePart* part : deciding_parts(finding)) {
    const std::vector<Frame> frames = visible_frames(trace, part->pc, part->stack);
    if (const Frame* frame = deciding_frame(frames)) places.push_back(*frame);
  }
  return places;
}

// What is traced is another body of each function than the one that found the bug: instructions that have no
// line differ, and an access of one may be several of the other. A place is its function, and its line where
// both have one.
bool is_among(const std::vector<Frame>& places, const Frame& place) {
  return std::ranges::any_of(places, [&](const Frame& other) {
    return other.function == place.function &&
           (other.line == place.line || other.line == 0 || place.line == 0);
  });
}

bool shows_again(const Trace& original, const Trace& now) {
  if (has_same_findings(original, now)) return true;
  return std::ranges::all_of(original.findings, [&](const TraceFinding& x) {
    if (x.severity != Severity::kBug) return true;
    const std::vector<Frame> expected = places_of(original, x);
    return std::ranges::any_of(now.findings, [&](const TraceFinding& y) {
      if (x.kind != y.kind) return false;
      const std::vector<Frame> came = places_of(now, y);
      return std::ranges::all_of(expected, [&](const Frame& frame) { return is_among(came, frame); }) &&
             std::ranges::all_of(came, [&](const Frame& frame) { return is_among(expected, frame); });
    });
  });
}

bool is_livelock(const Trace& trace) {
  return std::ranges::any_of(
      trace.findings, [](const TraceFinding& finding) { return finding.kind == FindingKind::kLivelock; });
}

Error not_reproduced(const run::SingleRun& run) {
  return {fmt::format("The execution came to another end when it was run with a symbolic trace{}.",
                      run.result.ending == Ending::kDiverged ? ": the program offered other choices" : ""),
          ExitCode::kInconclusive};
}

}  // namespace

bool is_full_build(const std::string& program) {
  const auto file = ElfFile::open(program);
  return file && file->has_section(kGraphSection);
}

Result<SymbolicRun> run_symbolically(const run::Target& target, const Trace& original, AfterFailure after,
                                     std::span<const Granule> also_shared, bool path_trace) {
  if (!is_full_build(target.path)) {
    return Error{
        target.path +
        " has no symbolic code. Build it with `heddle c++ --full`, and find the bug again with that."};
  }
  SymbolicRun symbolic;
  auto run = run_once(target, original, after, true, also_shared, path_trace);
  if (!run) return run.error();
  // What fails because an address was used again needs it to be.
  if (run->result.ending == Ending::kDiverged || !shows_again(original, run->trace)) {
    symbolic.reuses_memory = true;
    run = run_once(target, original, after, false, also_shared, path_trace);
    if (!run) return run.error();
  }
  if (run->result.ending == Ending::kDiverged || !shows_again(original, run->trace))
    return not_reproduced(*run);
  if (run->symbolic.cut && is_livelock(original)) {
    return Error{
        "A livelock is proved by so many turns of its loop that their symbolic trace is larger than heddle "
        "keeps. "
        "`heddle show` without --symbolic shows the loop.",
        ExitCode::kInconclusive};
  }
  if (run->symbolic.cut) {
    return Error{
        "The symbolic trace of this execution is larger than heddle keeps. Make the execution smaller "
        "with `heddle minimize`.",
        ExitCode::kInconclusive};
  }
  std::string wrong = first_wrong_value(run->symbolic);
  if (wrong.empty()) wrong = first_wrong_access(run->trace, run->symbolic);
  if (!wrong.empty())
    return Error{"A symbolic trace does not say what the program did: " + wrong + ".", ExitCode::kOwnError};
  symbolic.duration_us = run->result.duration_us;
  symbolic.trace = std::move(run->trace);
  symbolic.shared = std::move(run->shared);
  symbolic.tables = fold_waits(symbolic.trace, std::move(run->symbolic));
  return symbolic;
}

}  // namespace heddle::replay
