// How the rates of the papers' benchmarks change with one thing at a time: the depth of `pctwm` (thesis, Fig.
// 7.5), and relaxed writes that are inserted into the programs (paper, Fig. 6; thesis, Fig. 7.4). The
// published figures are drawings without numbers: what can be compared are the trends.
#pragma once

#include <functional>
#include <string>

#include "bench/harness/line_plot.h"
#include "bench/harness/paper_bench.h"

namespace heddle::bench {

enum class Trend : std::uint8_t { kDepth, kInsertedWrites };

// Calls `row` with a line of text for each program and strategy as it is measured.
Result<LinePlot> run_trend(Trend trend, const PaperOptions& options,
                           const std::function<void(const std::string&)>& row);

}  // namespace heddle::bench
