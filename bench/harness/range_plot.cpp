#include "bench/harness/range_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::bench {
namespace {

// Okabe and Ito's colours, which people tell apart who see colours differently.
constexpr const char* kColours[] = {"#000000", "#e69f00", "#56b4e9", "#009e73",
                                    "#0072b2", "#d55e00", "#cc79a7", "#999999"};
constexpr double kLeft = 130, kWidth = 640, kTop = 60, kLine = 7;

class Svg {
 public:
  explicit Svg(const RangePlot& plot) : plot_(plot) {
    for (const RangePlot::Range& range : plot.ranges) {
      most_ = std::max({most_, range.from, range.to});
      least_ = std::min({least_, range.from, range.to});
    }
    plot.is_linear ? set_linear_ticks() : set_decades();
  }

  std::string write() {
    const double row_height = kLine * static_cast<double>(plot_.series.size()) + 8;
    const double bottom = kTop + row_height * static_cast<double>(plot_.rows.size());
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
        "{0:.0f} "
        "{1:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        kLeft + kWidth + 60, bottom + 40);
    text(10, 18, "start", plot_.title);
    legend();
    for (const double tick : ticks_) {
      line(x_of(tick), kTop, x_of(tick), bottom, "#dddddd", 1);
      text(x_of(tick), bottom + 15, "middle",
           plot_.is_linear ? fmt::format("{:g}", tick) : fmt::format("{:.0f}", tick));
    }
    for (std::size_t row = 0; row < plot_.rows.size(); ++row) {
      const double top = kTop + row_height * static_cast<double>(row);
      line(10, top, kLeft + kWidth, top, "#dddddd", 1);
      text(kLeft - 6, top + row_height / 2 + 4, "end", plot_.rows[row]);
      for (const RangePlot::Range& range : plot_.ranges) {
        if (range.row == plot_.rows[row]) draw(range, top + 4);
      }
    }
    return out_ + "</svg>\n";
  }

 private:
  void set_decades() {
    const auto decades = static_cast<int>(std::ceil(std::log10(std::max(most_, 10.0))));
    for (int i = 0; i <= decades; ++i) ticks_.push_back(std::pow(10, i));
  }
  // At most ten, at multiples of 1, 2 or 5 times a power of ten.
  void set_linear_ticks() {
    const double span = most_ > least_ ? most_ - least_ : 1;
    double step = std::pow(10, std::floor(std::log10(span / 8)));
    for (const double times : {2.0, 2.5, 2.0}) {
      if (span / step > 8) step *= times;
    }
    for (double i = std::floor(least_ / step); (i - 1) * step < least_ + span; ++i)
      ticks_.push_back(i * step);
  }

  bool is_beyond(double value) const { return value < 0 && !plot_.is_linear; }
  double x_of(double value) const {
    if (is_beyond(value)) return kLeft + kWidth + 20;
    const auto on_axis = [&](double v) { return plot_.is_linear ? v : std::log10(std::max(v, 1.0)); };
    const double first = on_axis(ticks_.front()), last = on_axis(ticks_.back());
    return kLeft + kWidth * (on_axis(value) - first) / (last - first);
  }

  std::size_t number_of(const std::string& series) const {
    return static_cast<std::size_t>(std::find(plot_.series.begin(), plot_.series.end(), series) -
                                    plot_.series.begin());
  }
  static const char* colour(std::size_t series) { return kColours[series % std::size(kColours)]; }

  void legend() {
    double x = kLeft;
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      dot(x, 40, colour(i));
      text(x + 8, 44, "start", plot_.series[i]);
      x += 30 + 6.5 * static_cast<double>(plot_.series[i].size());
    }
    const auto is_open = [&](const RangePlot::Range& r) { return is_beyond(r.from) || is_beyond(r.to); };
    if (std::ranges::any_of(plot_.ranges, is_open)) text(x + 8, 44, "start", "× not found by half");
  }

  void draw(const RangePlot::Range& range, double top) {
    const std::size_t series = number_of(range.series);
    const double y = top + kLine * (static_cast<double>(series) + 0.5);
    if (is_beyond(range.from)) return text(x_of(-1), y + 4, "middle", "×", colour(series));
    line(x_of(range.from), y, x_of(range.to), y, colour(series), 2);
    dot(x_of(range.dot.value_or(range.from)), y, colour(series));
  }

  void line(double x1, double y1, double x2, double y2, const char* colour, int width) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
        x1, y1, x2, y2, colour, width);
  }
  void dot(double x, double y, const char* colour) {
    out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
  }
  void text(double x, double y, const char* anchor, const std::string& words, const char* colour = "black") {
    std::string safe;
    for (const char c : words) safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y,
                        anchor, colour, safe);
  }

  const RangePlot& plot_;
  std::string out_;
  double most_ = 0, least_ = 0;
  std::vector<double> ticks_;
};

}  // namespace

std::string range_plot_svg(const RangePlot& plot) { return Svg(plot).write(); }

}  // namespace heddle::bench
