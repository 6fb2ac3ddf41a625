// The report of a finding as text: the first block, the trace that shows how it came about, and the stacks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tool/report/names.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// How much is told.
enum class Detail : std::uint8_t {
  kFirstBlock,  // -q: what went wrong, where, and what to type next (first_block.h)
  kDefault,     // and the few rows of the trace that matter, stacks of the user's code
  kAll,         // -v: and all rows, all frames, all threads, the program's output
};

struct TextOptions {
  std::string artifact;           // path for the reproduce line; empty: no such line
  std::string strip_path_prefix;  // TSan's option
  bool color = false;
  bool source_lines = true;  // show lines of source
  Detail detail = Detail::kDefault;
  std::vector<std::string> leads_to;  // of a race: lines of the first block (places.h)
  std::size_t width = 100;            // columns
  bool stacks_only = false;  // below the first block; who asks shows the execution and its output elsewhere
};

// The default report and what a campaign says at its end have so many lines at most.
inline constexpr std::size_t kDefaultLines = 80;

// `names` numbers memory without a name for all who share it.
std::string text_report(const Trace& trace, const TraceFinding& finding, const TextOptions& options,
                        Names& names);
std::string text_report(const Trace& trace, const TraceFinding& finding, const TextOptions& options = {});

}  // namespace heddle::report
