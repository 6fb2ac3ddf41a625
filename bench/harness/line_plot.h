// Small plots side by side, as SVG: in each the same series of values over the same numbers, from 0 to 100 %.
#pragma once

#include <string>
#include <vector>

namespace heddle::bench {

struct LinePlot {
  struct Panel {
    std::string title;
    std::vector<std::vector<double>> values;  // by series, then by position
  };
  std::string title;
  std::string axis;               // what the positions are
  std::vector<double> positions;  // in ascending order
  std::vector<std::string> series;
  std::vector<Panel> panels;
};

std::string line_plot_svg(const LinePlot& plot);

}  // namespace heddle::bench
