#include "bench/harness/line_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::bench {
namespace {

constexpr const char* kLineColours[] = {"#000000", "#e69f00", "#0072b2", "#009e73", "#d55e00"};
constexpr double kPanelWidth = 190, kPanelHeight = 120, kGapX = 50, kGapY = 46, kHead = 50;
constexpr std::size_t kPanelsInRow = 4;

class Panels {
 public:
  explicit Panels(const LinePlot& plot) : plot_(plot) {}

  std::string write() {
    const std::size_t rows = (plot_.panels.size() + kPanelsInRow - 1) / kPanelsInRow;
    const double width = kGapX + static_cast<double>(kPanelsInRow) * (kPanelWidth + kGapX);
    const double height = kHead + static_cast<double>(rows) * (kPanelHeight + kGapY) + 20;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, height);
    text(10, 18, "start", plot_.title + "; " + plot_.axis);
    double x = kGapX;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      out_ +=
          fmt::format("<rect x=\"{:.0f}\" y=\"30\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", x, colour(i));
      text(x + 18, 36, "start", plot_.series[i]);
      x += 40 + 7 * static_cast<double>(plot_.series[i].size());
    }
    for (std::size_t i = 0; i < plot_.panels.size(); ++i) {
      const std::size_t row = i / kPanelsInRow, column = i % kPanelsInRow;
      panel(plot_.panels[i], kGapX + static_cast<double>(column) * (kPanelWidth + kGapX),
            kHead + 16 + static_cast<double>(row) * (kPanelHeight + kGapY));
    }
    return out_ + "</svg>\n";
  }

 private:
  static const char* colour(std::size_t series) { return kLineColours[series % std::size(kLineColours)]; }

  void panel(const LinePlot::Panel& panel, double left, double top) {
    const double first = plot_.positions.front();
    const double span = std::max(plot_.positions.back() - first, 1.0);
    const auto x_of = [&](std::size_t i) { return left + kPanelWidth * (plot_.positions[i] - first) / span; };
    const auto y_of = [&](double value) { return top + kPanelHeight * (1 - value / 100); };
    text(left, top - 5, "start", panel.title);
    for (const int level : {0, 50, 100}) {
      out_ += fmt::format("<path d=\"M{:.1f} {:.1f}h{:.1f}\" stroke=\"#ccc\"/>\n", left, y_of(level),
                          kPanelWidth);
      text(left - 4, y_of(level) + 4, "end", fmt::format("{}", level));
    }
    for (std::size_t i = 0; i < plot_.positions.size(); ++i)
      text(x_of(i), top + kPanelHeight + 13, "middle", fmt::format("{:g}", plot_.positions[i]));
    for (std::size_t s = 0; s < panel.values.size(); ++s) {
      std::string points;
      for (std::size_t i = 0; i < panel.values[s].size(); ++i)
        points += fmt::format("{:.1f},{:.1f} ", x_of(i), y_of(panel.values[s][i]));
      out_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                          points, colour(s));
    }
  }

  void text(double x, double y, const char* anchor, const std::string& words) {
    out_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, words);
  }

  const LinePlot& plot_;
  std::string out_;
};

}  // namespace

std::string line_plot_svg(const LinePlot& plot) {
  return plot.positions.empty() ? std::string() : Panels(plot).write();
}

}  // namespace heddle::bench
