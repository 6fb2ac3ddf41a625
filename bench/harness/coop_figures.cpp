// What `heddle-bench coop` measured, as the thesis' figures.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/harness/coop_bench.h"
#include "bench/harness/range_plot.h"
#include "tool/base/atomic_file.h"

namespace heddle::bench {
namespace {

using FiguresJson = nlohmann::ordered_json;

// Of a program's scheme: by series, what is drawn in the program's row.
using Drawn = std::vector<std::pair<std::string, CoopRange>>;

struct FigureKind {
  const char* number;
  const char* title;
  bool is_of_blocks;
  bool is_linear;
  Drawn (*drawn)(const CoopScheme&);
  const char* thesis_table;  // that has the value for complete logs
};

std::string series_of(const std::string& share) { return share == "1" ? "1 element" : share + " %"; }

Drawn by_share(const std::map<std::string, CoopRange>& values) {
  Drawn drawn;
  for (const char* share : {"100", "75", "50", "25", "1"}) {
    if (const auto at = values.find(share); at != values.end())
      drawn.emplace_back(series_of(share), at->second);
  }
  return drawn;
}

Drawn dispersion(const CoopScheme& s) { return {{"all elements", s.dispersion}}; }
Drawn accesses(const CoopScheme& s) { return {{"all elements", s.accesses}}; }
Drawn overhead(const CoopScheme& s) { return by_share(s.overhead); }
Drawn bytes(const CoopScheme& s) { return by_share(s.bytes); }

constexpr FigureKind kFigures[] = {
    {"3.6", "individual dispersion of an element, variables", false, true, dispersion, nullptr},
    {"3.7", "individual dispersion of an element, blocks", true, true, dispersion, nullptr},
    {"3.8", "CPU overhead in % by share of the elements, variables", false, true, overhead, "table_3_10"},
    {"3.9", "CPU overhead in % by share of the elements, blocks", true, true, overhead, "table_3_10"},
    {"3.10", "bytes of a log by share of the elements, variables", false, false, bytes, "table_3_11"},
    {"3.11", "accesses of an element", false, false, accesses, nullptr},
    {"3.12", "bytes of a log by share of the elements, blocks", true, false, bytes, "table_3_11"},
};

constexpr const char* kThesisSeries = "thesis, 100 %";

double of_thesis(const FiguresJson& thesis, const FigureKind& kind, const std::string& program) {
  for (const FiguresJson& entry : thesis["programs"]) {
    if (entry["name"] == program) return entry[kind.thesis_table][kind.is_of_blocks ? 0 : 3].get<double>();
  }
  return 0;
}

RangePlot plot_of(const FigureKind& kind, const FiguresJson& thesis, const std::vector<CoopRow>& rows) {
  RangePlot plot;
  plot.title = fmt::format("Fig. {}: {}; mean (dot), least and most", kind.number, kind.title);
  plot.is_linear = kind.is_linear;
  const auto add = [&](const std::string& row, const std::string& series, const CoopRange& range) {
    if (std::ranges::count(plot.series, series) == 0) plot.series.push_back(series);
    plot.ranges.push_back({row, series, range.least, range.most, range.mean});
  };
  for (const CoopRow& row : rows) {
    const CoopScheme& scheme = kind.is_of_blocks ? row.blocks : row.variables;
    const Drawn drawn = scheme.recorded ? kind.drawn(scheme) : Drawn{};
    if (drawn.empty()) continue;
    plot.rows.push_back(row.program);
    if (kind.thesis_table != nullptr) {
      const double value = of_thesis(thesis, kind, row.program);
      add(row.program, kThesisSeries, {value, value, value});
    }
    for (const auto& [series, range] : drawn) add(row.program, series, range);
  }
  return plot;
}

CoopRange range_from(const FiguresJson& json) {
  return {json.at("least").get<double>(), json.at("mean").get<double>(), json.at("most").get<double>()};
}

CoopScheme scheme_from(const FiguresJson& json) {
  CoopScheme scheme;
  scheme.elements = json.at("elements").get<std::uint64_t>();
  scheme.recorded = scheme.elements != 0;
  scheme.accesses = range_from(json.at("accesses_of_an_element"));
  scheme.dispersion = range_from(json.at("individual_dispersion"));
  for (const auto& [share, range] : json.at("bytes").items()) scheme.bytes[share] = range_from(range);
  for (const auto& [share, range] : json.at("overhead_percent").items())
    scheme.overhead[share] = range_from(range);
  return scheme;
}

}  // namespace

Result<std::vector<CoopRow>> read_coop_json(const std::string& text) {
  const FiguresJson document = FiguresJson::parse(text, nullptr, false);
  std::vector<CoopRow> rows;
  try {
    for (const FiguresJson& entry : document.at("programs")) {
      CoopRow row;
      row.program = entry.at("program").get<std::string>();
      row.variables = scheme_from(entry.at("variables"));
      row.blocks = scheme_from(entry.at("blocks"));
      rows.push_back(std::move(row));
    }
  } catch (const FiguresJson::exception& e) {
    return Error{fmt::format("This is not what heddle-bench coop --json wrote: {}.", e.what()),
                 ExitCode::kBadInput};
  }
  return rows;
}

Result<std::vector<CoopFigure>> coop_figures(const CoopOptions& options, const std::vector<CoopRow>& rows) {
  const std::string path = options.folder + "/thesis.json";
  auto file = read_whole_file(path, 1 << 20);
  if (!file) return file.error();
  const FiguresJson thesis = FiguresJson::parse(*file, nullptr, false);
  if (thesis.is_discarded()) return Error{path + " is damaged.", ExitCode::kBadInput};
  std::vector<CoopFigure> figures;
  for (const FigureKind& kind : kFigures) {
    const RangePlot plot = plot_of(kind, thesis, rows);
    if (!plot.rows.empty()) figures.push_back({kind.number, range_plot_svg(plot)});
  }
  return figures;
}

}  // namespace heddle::bench
