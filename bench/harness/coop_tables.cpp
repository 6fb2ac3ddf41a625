// What `heddle-bench coop` measured, as the thesis' tables, with its figures beside ours.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/harness/coop_bench.h"
#include "tool/base/atomic_file.h"

namespace heddle::bench {
namespace {

using TablesJson = nlohmann::ordered_json;

std::string text_of(const Attempts& attempts) { return attempts ? std::to_string(*attempts) : "X"; }

// A cell of the thesis: a number, "X", or null for what does not apply.
std::string text_of(const TablesJson& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  return cell.is_number_integer() ? std::to_string(cell.get<std::int64_t>())
                                  : fmt::format("{:.2f}", cell.get<double>());
}

std::string cell_of(const AttemptTable& table, const std::string& way, const std::string& share) {
  const auto at = table.find(way);
  if (at == table.end()) return "-";
  const auto cell = at->second.find(share);
  return cell == at->second.end() ? "-" : text_of(cell->second);
}

std::string beside(const std::string& ours, const TablesJson& thesis) { return ours + "/" + text_of(thesis); }

std::string size_of_log(double bytes) {
  return bytes < 1000  ? fmt::format("{:.0f}B", bytes)
         : bytes < 1e6 ? fmt::format("{:.1f}KB", bytes / 1024)
                       : fmt::format("{:.1f}MB", bytes / 1024 / 1024);
}

const TablesJson* entry_of(const TablesJson& thesis, const std::string& program) {
  for (const TablesJson& entry : thesis["programs"]) {
    if (entry["name"] == program) return &entry;
  }
  return nullptr;
}

std::string programs_table(const TablesJson& thesis, const std::vector<CoopRow>& rows) {
  std::string text =
      fmt::format("Tables 3.2 and 3.6, ours/thesis\n{:<18} {:>8} {:>14} {:>12} {:>8} {:>9}  {}\n", "",
                  "elements", "accesses", "failures %", "runs", "CPU s", "bug");
  for (const CoopRow& row : rows) {
    const TablesJson& t = *entry_of(thesis, row.program);
    text += fmt::format("{:<18} {:>8} {:>14} {:>12} {:>8} {:>9.4f}  {}\n", row.program,
                        beside(std::to_string(row.variables.elements), t["spes"]),
                        beside(fmt::format("{:.0f}", row.variables.total_accesses), t["accesses"]),
                        beside(fmt::format("{:.1f}", row.failure_percent), t["failure_percent"]), row.runs,
                        row.native_seconds, row.problem.empty() ? t["bug"].get<std::string>() : row.problem);
  }
  return text;
}

std::string metrics_table(const TablesJson& thesis, const std::vector<CoopRow>& rows) {
  std::string text = "\nTables 3.3 (attempts of SGM) and 3.4 (seconds to rank), ours/thesis\n" +
                     fmt::format("{:<18} {:>5}  {:>10} {:>10} {:>10}   {:>14} {:>14} {:>14}\n", "", "share",
                                 "PSIM", "DSIM", "DHS", "PSIM s", "DSIM s", "DHS s");
  for (const CoopRow& row : rows) {
    const TablesJson& t = *entry_of(thesis, row.program);
    std::size_t share_index = 0;
    for (const std::string share : {"25", "50", "75"}) {
      std::string cells, seconds;
      std::size_t metric_index = 0;
      for (const std::string metric : {"PSIM", "DSIM", "DHS"}) {
        const std::size_t cell = share_index * 3 + metric_index++;
        const auto in = [&](const char* table) { return t[table].is_null() ? TablesJson() : t[table][cell]; };
        cells += fmt::format(" {:>10}", beside(cell_of(row.by_metric, metric, share), in("table_3_3")));
        const auto of_metric = row.rank_seconds.find(metric);
        const bool known = of_metric != row.rank_seconds.end() && of_metric->second.contains(share);
        seconds += fmt::format(
            " {:>14}",
            beside(known ? fmt::format("{:.3f}", of_metric->second.at(share)) : "-", in("table_3_4")));
      }
      if (!row.by_metric.empty())
        text += fmt::format("{:<18} {:>4}% {}  {}\n", row.program, share, cells, seconds);
      ++share_index;
    }
  }
  return text;
}

// Tables 3.7 and 3.8: one-element logs, SGM, DGM as in the thesis, and ours at the end, which has no column
// there: beside it the better of the thesis' two.
std::string attempts_table(const TablesJson& thesis, const std::vector<CoopRow>& rows, bool blocks) {
  std::string text = fmt::format(
      "\nTable 3.{}, attempts, ours/thesis; the last columns: default search of ours/better of the thesis' "
      "SGM and "
      "DGM\n{:<18} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {:>9} {:>9} {:>9} {:>9}\n",
      blocks ? "8 (blocks)" : "7 (variables)", "", "1SPE", "SGM 25%", "SGM 50%", "SGM 75%", "DGM 25%",
      "DGM 50%", "DGM 75%", "1SPE", "25%", "50%", "75%");
  for (const CoopRow& row : rows) {
    const CoopScheme& scheme = blocks ? row.blocks : row.variables;
    if (!scheme.recorded) continue;
    const TablesJson& t = (*entry_of(thesis, row.program))[blocks ? "table_3_8" : "table_3_7"];
    const std::size_t first = blocks ? 2 : 0;  // of 1SPE
    std::string line =
        fmt::format("{:<18} {:>7}", row.program, beside(cell_of(scheme.attempts, "SGM", "1"), t[first]));
    std::size_t column = first + 1;
    for (const std::string way : {"SGM", "DGM"}) {
      for (const std::string share : {"25", "50", "75"})
        line += fmt::format(" {:>9}", beside(cell_of(scheme.attempts, way, share), t[column++]));
    }
    line += fmt::format("  {:>9}", beside(cell_of(scheme.attempts, "ours", "1"), t[first]));
    for (std::size_t i = 0; i < 3; ++i) {
      const TablesJson &sgm = t[first + 1 + i], &dgm = t[first + 4 + i];
      const bool take_dgm = !sgm.is_number() || (dgm.is_number() && dgm.get<int>() < sgm.get<int>());
      const std::string share = i == 0 ? "25" : i == 1 ? "50" : "75";
      line += fmt::format(" {:>9}", beside(cell_of(scheme.attempts, "ours", share), take_dgm ? dgm : sgm));
    }
    text += line + "\n";
  }
  return text;
}

std::string counts_table(const TablesJson& thesis, const std::vector<CoopRow>& rows) {
  std::string text = "\nTable 3.9, attempts by number of logs, ours/thesis (25, 50, 75 %)\n";
  for (const CoopRow& row : rows) {
    for (const auto& [logs, table] : row.by_count) {
      for (const std::string way : {"SGM", "DGM", "ours"}) {
        std::string line = fmt::format("{:<18} {:>4} logs  {:<5}", row.program, logs, way);
        for (std::size_t i = 0; i < 3; ++i) {
          const std::string share = i == 0 ? "25" : i == 1 ? "50" : "75";
          TablesJson cell = "–";
          if (way != "ours") cell = thesis["table_3_9"][way][row.program][std::to_string(logs)][i];
          line += fmt::format(" {:>8}", beside(cell_of(table, way, share), cell));
        }
        text += line + "\n";
      }
    }
  }
  return text;
}

std::string costs_table(const TablesJson& thesis, const std::vector<CoopRow>& rows, bool blocks) {
  std::string text = fmt::format(
      "\n{}: overhead in % and size of a log, by share; thesis: full\n{:<18} {:>11} {:>7} {:>7} {:>7}   "
      "{:>17} {:>9} "
      "{:>9} {:>9} {:>9}\n",
      blocks ? "Tables 3.10 and 3.11, Figs. 3.9 and 3.12 (blocks)"
             : "Tables 3.10 and 3.11, Figs. 3.8 and 3.10 (variables)",
      "", "100%/thesis", "75%", "50%", "25%", "100%/thesis", "75%", "50%", "25%", "1SPE");
  for (const CoopRow& row : rows) {
    const CoopScheme& scheme = blocks ? row.blocks : row.variables;
    if (!scheme.recorded) continue;
    const TablesJson& t = *entry_of(thesis, row.program);
    const std::size_t full = blocks ? 0 : 3;
    const auto percent = [&](const char* share) {
      const auto measured = scheme.overhead.find(share);
      return measured == scheme.overhead.end() ? std::string("-")
                                               : fmt::format("{:.0f}", measured->second.mean);
    };
    const auto bytes = [&](const char* share) { return size_of_log(scheme.bytes.at(share).mean); };
    text += fmt::format("{:<18} {:>11} {:>7} {:>7} {:>7}   {:>17} {:>9} {:>9} {:>9} {:>9}\n", row.program,
                        beside(percent("100"), t["table_3_10"][full]), percent("75"), percent("50"),
                        percent("25"), bytes("100") + "/" + size_of_log(t["table_3_11"][full].get<double>()),
                        bytes("75"), bytes("50"), bytes("25"), bytes("1"));
  }
  return text;
}

std::string ranges_table(const std::vector<CoopRow>& rows) {
  std::string text = fmt::format(
      "\nFigs. 3.6 (variables), 3.7 (blocks): individual dispersion; Fig. 3.11: accesses of an element; mean "
      "(least to "
      "most)\n{:<18} {:>22} {:>22} {:>28}\n",
      "", "3.6", "3.7", "3.11");
  const auto range = [](const CoopRange& r, int digits) {
    return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", r.mean, digits, r.least, digits, r.most, digits);
  };
  for (const CoopRow& row : rows) {
    if (!row.variables.recorded) continue;
    text += fmt::format("{:<18} {:>22} {:>22} {:>28}\n", row.program, range(row.variables.dispersion, 2),
                        row.blocks.recorded ? range(row.blocks.dispersion, 2) : "-",
                        range(row.variables.accesses, 0));
  }
  return text;
}

TablesJson json_of(const AttemptTable& table) {
  TablesJson all = TablesJson::object();
  for (const auto& [way, shares] : table) {
    for (const auto& [share, attempts] : shares)
      all[way][share] = attempts ? TablesJson(*attempts) : TablesJson("X");
  }
  return all;
}

TablesJson json_of(const CoopScheme& s) {
  const auto range = [](const CoopRange& r) {
    return TablesJson{{"least", r.least}, {"mean", r.mean}, {"most", r.most}};
  };
  TablesJson bytes = TablesJson::object(), overhead = TablesJson::object();
  for (const auto& [share, r] : s.bytes) bytes[share] = range(r);
  for (const auto& [share, r] : s.overhead) overhead[share] = range(r);
  return {{"elements", s.elements},
          {"accesses", s.total_accesses},
          {"accesses_of_an_element", range(s.accesses)},
          {"individual_dispersion", range(s.dispersion)},
          {"attempts", json_of(s.attempts)},
          {"bytes", bytes},
          {"overhead_percent", overhead}};
}

}  // namespace

Result<std::string> coop_tables(const CoopOptions& options, const std::vector<CoopRow>& rows) {
  const std::string path = options.folder + "/thesis.json";
  auto file = read_whole_file(path, 1 << 20);
  if (!file) return file.error();
  const TablesJson thesis = TablesJson::parse(*file, nullptr, false);
  if (thesis.is_discarded()) return Error{path + " is damaged.", ExitCode::kBadInput};
  std::string text = programs_table(thesis, rows);
  if (options.metrics) text += metrics_table(thesis, rows);
  text += attempts_table(thesis, rows, false);
  if (options.blocks) text += attempts_table(thesis, rows, true);
  if (options.counts) text += counts_table(thesis, rows);
  text += costs_table(thesis, rows, false);
  if (options.blocks) text += costs_table(thesis, rows, true);
  return text + ranges_table(rows) + "\nTable 3.5 is measured by build/bin/coop_logs sizes.\n";
}

std::string coop_line(const CoopRow& row) {
  if (!row.problem.empty()) return fmt::format("{:<18} {}\n", row.program, row.problem);
  return fmt::format(
      "{:<18} {} failing logs of {} runs; ours: 1SPE {}, 25% {}, 50% {}, 75% {}\n", row.program, row.failing,
      row.runs, cell_of(row.variables.attempts, "ours", "1"), cell_of(row.variables.attempts, "ours", "25"),
      cell_of(row.variables.attempts, "ours", "50"), cell_of(row.variables.attempts, "ours", "75"));
}

std::string coop_json(const std::vector<CoopRow>& rows) {
  TablesJson all = TablesJson::array();
  for (const CoopRow& row : rows) {
    TablesJson counts = TablesJson::object();
    for (const auto& [logs, table] : row.by_count) counts[std::to_string(logs)] = json_of(table);
    all.push_back({{"program", row.program},
                   {"problem", row.problem},
                   {"failure_percent", row.failure_percent},
                   {"runs", row.runs},
                   {"failing_logs", row.failing},
                   {"passing_logs", row.passing},
                   {"native_cpu_seconds", row.native_seconds},
                   {"variables", json_of(row.variables)},
                   {"blocks", json_of(row.blocks)},
                   {"by_metric", json_of(row.by_metric)},
                   {"rank_seconds", row.rank_seconds},
                   {"by_number_of_logs", counts}});
  }
  return TablesJson{{"version", 2}, {"programs", std::move(all)}}.dump(2) + "\n";
}

}  // namespace heddle::bench
