// How places, functions, threads and numbers are written in every report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tool/trace/campaign_report.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// Paths below the program's working directory are shown relative to it; `strip_prefix` (TSan's
// strip_path_prefix) is taken off the rest.
class PathStyle {
 public:
  explicit PathStyle(const Trace& trace, std::string strip_prefix = {})
      : cwd_(trace.program.cwd), prefix_(std::move(strip_prefix)) {}
  std::string shown(std::string_view path) const;

 private:
  std::string cwd_;
  std::string prefix_;
};

std::string_view base_name(std::string_view path);

// A function's name of at most `width` columns: template arguments and then parameters give way to "…".
std::string short_function(std::string_view function, std::size_t width);

// "race.cpp:8:11", as much of it as is known; empty where nothing is.
std::string place_text(const Frame& frame, const PathStyle& paths);

// "main thread" or "thread T3".
std::string thread_text(ThreadId thread);
// "T3".
std::string thread_tag(ThreadId thread);
// "T3 producer()", "T0 main"; the tag alone where the trace does not tell more.
std::string thread_title(const Trace& trace, ThreadId thread);

// Where an event was: "mp.cpp:15" of the innermost code of the user's, its function where the file is not
// known; empty where nothing is.
std::string short_place(const Trace& trace, std::uint64_t pc, StackId stack);

// The parts that a reader has to look at: the deciding ones, and where the memory was freed or its thread
// ended.
std::vector<const TracePart*> telling_parts(const TraceFinding& finding);

// "data race race.cpp:8:11 in increment()": one line that says which bug it is.
std::string finding_summary(const Trace& trace, const TraceFinding& finding, const PathStyle& paths);

// What a user mends first comes first: crashes and memory that is gone, failed checks, threads that hang, races.
int urgency_of(FindingKind kind);

// "SIGSEGV"; "signal 77" where it has no name.
std::string signal_name(int signal);
// What a race leads to: a line of words for each consequence, "SIGSEGV svc.cpp:52 …, in 12 % of 1,000 executions with
// its accesses as choices"; one that says that nothing was seen; or none, where that was not looked for.
std::vector<std::string> consequence_lines(const RaceFollowUp& follow_up);
// The same as sentences behind the one that says what happened; empty: it was not looked for.
std::string consequence_sentences(const RaceFollowUp& follow_up);
// The same for the first block of a report, with how to see the worst of them; three lines at most.
std::vector<std::string> leads_to_lines(const RaceFollowUp& follow_up);
const char* order_name(MemoryOrder order);
const char* ending_name(Ending ending);
// The same as a key: "timed_out".
std::string ending_key(Ending ending);
// What to do about a race that a library may explain (PartRole::kThroughLibrary).
std::string library_advice(const std::string& library);

const char* role_name(PartRole role);
const char* model_name(ModelKind model);

// "12 %" of a share of 0.12; small ones with more digits.
std::string percent_text(double share);

// With a capital letter first.
std::string capitalised(std::string text);

// 1234567 as "1,234,567".
std::string grouped(std::uint64_t n);

}  // namespace heddle::report
