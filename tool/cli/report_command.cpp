// heddle report: what a campaign left behind, as the reports that people and services read.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>
#include <set>

#include "tool/artifact/artifact.h"
#include "tool/artifact/atomic_file.h"
#include "tool/artifact/fingerprint.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/report_files.h"
#include "tool/cli/terminal.h"
#include "tool/report/kept_campaign.h"
#include "tool/report/places.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMostCampaignBytes = 256 << 20;

// bug-2.heddle before bug-10.heddle.
std::uint64_t number_in(const std::string& name) {
  std::uint64_t number = 0;
  const std::size_t at = name.find_first_of("0123456789");
  if (at != std::string::npos) std::from_chars(name.data() + at, name.data() + name.size(), number);
  return number;
}

Result<std::vector<std::string>> artifacts_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".heddle") names.push_back(entry.path().filename().string());
  }
  if (error) return Error{folder + " cannot be read: " + error.message() + "."};
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(number_in(a), a) < std::pair(number_in(b), b);
  });
  return names;
}

// A campaign, and the executions that its findings point to.
struct Gathered {
  report::CampaignReport report;
  std::deque<Trace> traces;
};

void add_findings(Gathered& gathered, const std::string& path, const std::vector<report::KeptFinding>& kept,
                  std::set<std::string>& seen) {
  const Trace& trace = gathered.traces.back();
  const std::string_view name = report::base_name(path);
  for (std::size_t i = 0; i < trace.findings.size(); ++i) {
    const std::string print = fingerprint(trace, trace.findings[i]);
    const auto known = std::find_if(kept.begin(), kept.end(), [&](const report::KeptFinding& finding) {
      return finding.signature == print &&
             (finding.artifact.empty() || report::base_name(finding.artifact) == name);
    });
    // Another artifact tells about it, or it is a second finding that this execution shows by the way.
    const bool elsewhere = std::any_of(kept.begin(), kept.end(), [&](const report::KeptFinding& finding) {
      return finding.signature == print && !finding.artifact.empty() &&
             report::base_name(finding.artifact) != name;
    });
    if (elsewhere || !seen.insert(print).second) continue;
    const bool counted = known != kept.end();
    gathered.report.findings.push_back({&trace,
                                        i,
                                        counted ? known->count : 0,
                                        counted ? known->first_execution : trace.execution,
                                        path,
                                        {}});
  }
}

Status gather(const std::string& folder, Gathered& gathered) {
  const auto names = artifacts_in(folder);
  if (!names) return names.error();
  std::vector<report::KeptFinding> kept;
  const std::string campaign = folder + "/" + kCampaignFile;
  const bool has_campaign = std::filesystem::exists(campaign);
  if (has_campaign) {
    auto text = read_whole_file(campaign, kMostCampaignBytes);
    if (!text) return text.error();
    auto parsed = report::parse_campaign(*text);
    if (!parsed) return Error{campaign + ": " + parsed.error().message};
    gathered.report = std::move(parsed->report);
    kept = std::move(parsed->findings);
  }
  if (names->empty() && !has_campaign)
    return Error{
        folder +
        " has neither artifacts (bug-N.heddle) nor a campaign. Was it the folder of `heddle run -o`?"};
  std::set<std::string> seen;
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    auto trace = read_artifact(path);
    if (!trace) return trace.error();
    gathered.traces.push_back(std::move(*trace));
    add_findings(gathered, path, kept, seen);
  }
  if (!has_campaign && !gathered.traces.empty()) {
    gathered.report.tool_version = gathered.traces[0].tool_version;
    gathered.report.program = gathered.traces[0].program.argv;
    gathered.report.program_path = gathered.traces[0].program.path;
  }
  return Done{};
}

}  // namespace

int report_command(const Arguments& arguments) {
  std::string folder = "heddle-out";
  ReportFiles files;
  CLI::App app(
      "Makes reports of a campaign from what it left in its folder: a page for a browser, unless another "
      "kind is asked for.",
      "heddle report");
  app.footer(
      "examples:\n"
      "  heddle report heddle-out                       writes heddle-out/report.html\n"
      "  heddle report heddle-out -o bugs.html\n"
      "  heddle report heddle-out --sarif bugs.sarif --junit bugs.xml");
  app.add_option("folder", folder, "where the campaign put its artifacts [heddle-out]")->type_name("DIR");
  std::string output;
  app.add_option("-o,--output", output, "the page [DIR/report.html]")->type_name("FILE");
  add_report_options(app, files);
  if (const auto code = parse_command(app, arguments)) return *code;
  Gathered gathered;
  if (auto done = gather(folder, gathered); !done) return complain(done.error());
  const bool none = files.json.empty() && files.sarif.empty() && files.junit.empty() && files.html.empty();
  if (!output.empty()) files.html = output;
  if (none && output.empty()) files.html = folder + "/report.html";
  if (auto written = write_reports(gathered.report, files); !written) return complain(written.error());
  if (none && output != "-")
    fmt::print("{}: {} {}\n", files.html, gathered.report.findings.size(),
               gathered.report.findings.size() == 1 ? "finding" : "findings");
  return 0;
}

}  // namespace heddle::cli
