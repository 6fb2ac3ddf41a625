// The few rows of a trace that one has to read to understand a finding, for a terminal: what the variables of the
// finding went through, plain accesses among it, the critical switches, and what is cited. Allocations, creations
// and initialisations are left out unless the finding is about them; nothing comes before the first row that
// matters.
#pragma once

#include <vector>

#include "tool/report/headline.h"
#include "tool/report/rows.h"

namespace heddle::report {

std::vector<Row> brief_rows(const Trace& trace, const TraceFinding& finding, const Headline& head,
                            std::size_t max_rows);

}  // namespace heddle::report
