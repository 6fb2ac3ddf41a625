// Is a finding the bug of an artifact, also where the program was changed since?
//
// In the same build (by its build id) the fingerprint decides, or all lines are the same. In another one the lines may
// have moved, so that neither line numbers nor the distance from a function's beginning mean anything. There a place is
// the same if
//   - it is the line with the same text (moved_lines.h), in the same function or with a text that stands there once;
//   - or that line was edited: its text is gone, and the new text, which was not there before, has most of its words, or
//     accesses the same variable, in the same function;
//   - or, where one of the sources is not there, it is as far from the beginning of the same function.
// And a finding is the same bug if it has the kind and the places of the other one. Deadlock and lost wake-up count as
// one kind: which of them it is may depend on the moment. Of threads that wait for ever some may be there or not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tool/findings/carried_lines.h"
#include "tool/trace/trace.h"

namespace heddle {

// The function's name without what an edit or another compiler changes: its parameters, template arguments, return type
// and the numbers of lambdas.
std::string plain_function(const std::string& function);

class SameBug {
 public:
  // Are findings of another program asked about, too? What stands in main is in every program.
  enum class Asked : std::uint8_t { kSameProgram, kAnyProgram };

  SameBug() = default;  // nothing is it
  // The bug that an execution is kept for: its first finding.
  explicit SameBug(const Trace& trace, Asked asked = Asked::kSameProgram);

  // REQUIRES: the trace is symbolised.
  bool is(const Trace& trace, const TraceFinding& finding) const;

 private:
  struct Place {
    std::string function;  // plain
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t function_line = 0;
    std::string variable;  // that is accessed there; empty: unknown
    bool joins = false;    // a thread waits for the end of another one
  };
  using IsAt = bool (SameBug::*)(const Place& before, const Place& now) const;
  static std::vector<Place> places_of(const Trace& trace, const TraceFinding& finding);
  bool is_exactly_at(const Place& before, const Place& now) const;
  bool is_at(const Place& before, const Place& now) const;  // in another build
  bool is_edited(const Place& before, const Place& now) const;
  bool has_same_places(const std::vector<Place>& now, IsAt is_there) const;
  bool hangs_there(const std::vector<Place>& now, IsAt is_there) const;
  bool is_same_check(const Trace& trace, IsAt is_there) const;

  Asked asked_ = Asked::kSameProgram;
  FindingKind kind_ = FindingKind::kNone;
  std::string build_id_;
  std::string fingerprint_;
  std::vector<Place> places_;
  std::string message_;
  std::int32_t exit_status_ = 0;
  std::string test_, test_file_;  // of a check that failed
  std::uint32_t test_line_ = 0;
  std::shared_ptr<CarriedLines> lines_;
};

}  // namespace heddle
