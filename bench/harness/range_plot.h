// A plot of ranges, as SVG: a row for each thing, a line in its own colour for each series.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle::bench {

struct RangePlot {
  struct Range {
    std::string row;
    std::string series;
    double from = 0;  // negative on a logarithmic axis: beyond what was measured, a cross at the right edge
    double to = 0;    // likewise: drawn up to the right edge
    std::optional<double> dot = {};  // where it is, if not at `from`
  };
  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> series;
  std::vector<Range> ranges;
  bool is_linear = false;  // else logarithmic, from 1
};

std::string range_plot_svg(const RangePlot& plot);

}  // namespace heddle::bench
