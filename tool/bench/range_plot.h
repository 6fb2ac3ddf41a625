// A plot of ranges on a logarithmic axis, as SVG: a row for each thing, a line in its own colour for each
// series.
#pragma once

#include <string>
#include <vector>

namespace heddle::bench {

struct RangePlot {
  struct Range {
    std::string row;
    std::string series;
    double from = 0;  // negative: beyond what was measured; drawn as a cross at the right edge
    double to = 0;    // likewise: drawn up to the right edge
  };
  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> series;
  std::vector<Range> ranges;
};

std::string range_plot_svg(const RangePlot& plot);

}  // namespace heddle::bench
