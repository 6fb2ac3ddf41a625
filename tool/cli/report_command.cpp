// heddle report: what a campaign left behind, as the reports that people and services read.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <filesystem>
#include <set>

#include "tool/artifact/artifact.h"
#include "tool/base/atomic_file.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/report_files.h"
#include "tool/cli/terminal.h"
#include "tool/findings/findings_folder.h"
#include "tool/findings/fingerprint.h"
#include "tool/report/kept_campaign.h"
#include "tool/report/kept_explanation.h"
#include "tool/report/places.h"

namespace heddle::cli {
namespace {

constexpr std::uint64_t kMostCampaignBytes = 256 << 20;

// A campaign, and the executions that its findings point to.
struct Gathered {
  report::CampaignReport report;
  std::deque<Trace> traces;
};

void add_findings(Gathered& gathered, const std::string& path, const std::vector<report::KeptFinding>& kept,
                  std::set<std::string>& seen) {
  const Trace& trace = gathered.traces.back();
  const std::string_view name = report::base_name(path);
  const std::string explanation = report::read_explanation(path);
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
                                        {},
                                        explanation,
                                        counted ? known->follow_up : report::RaceFollowUp{}});
  }
}

// What the user named: a folder, of which the latest campaign is meant, or one campaign's file in it.
struct Asked {
  std::string folder;
  std::string campaign;  // empty: the folder has none
  bool is_latest_of_several = false;
};

Result<Asked> look_up(const std::string& named) {
  std::error_code error;
  if (std::filesystem::is_directory(named, error)) {
    const std::vector<NumberedFile> campaigns = numbered_files(named, kCampaignName);
    return campaigns.empty() ? Asked{named, "", false}
                             : Asked{named, campaigns.back().path, campaigns.size() > 1};
  }
  if (!std::filesystem::exists(named, error))
    return Error{named + " is not there. Name the folder of `heddle run -o`, or a campaign-N.json in it."};
  const std::filesystem::path file(named);
  return Asked{file.has_parent_path() ? file.parent_path().string() : ".", named, false};
}

Status read_artifacts(const std::vector<std::string>& paths, const std::vector<report::KeptFinding>& kept,
                      Gathered& gathered) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    auto trace = read_artifact(path);
    if (!trace) return trace.error();
    gathered.traces.push_back(std::move(*trace));
    add_findings(gathered, path, kept, seen);
  }
  return Done{};
}

// Those that the campaign's file names, where they are now: the folder may have been moved.
Status gather_campaign(const Asked& asked, Gathered& gathered) {
  auto text = read_whole_file(asked.campaign, kMostCampaignBytes);
  if (!text) return text.error();
  auto parsed = report::parse_campaign(*text);
  if (!parsed) return Error{asked.campaign + ": " + parsed.error().message};
  gathered.report = std::move(parsed->report);
  std::vector<std::string> paths;
  for (const report::KeptFinding& finding : parsed->findings) {
    if (finding.artifact.empty()) continue;
    const std::string path = path_in(asked.folder, std::string(report::base_name(finding.artifact)));
    std::error_code error;
    if (std::filesystem::exists(path, error)) {
      paths.push_back(path);
    } else {
      warn(path + " is not there any more: its finding is left out.");
    }
  }
  return read_artifacts(paths, parsed->findings, gathered);
}

// A campaign that was killed before it could say anything of itself: the artifacts that were made of the same
// program with the same seed as the latest.
Status gather_without_campaign(const Asked& asked, Gathered& gathered) {
  std::vector<NumberedFile> bugs = numbered_files(asked.folder, kBugName);
  if (bugs.empty())
    return Error{
        asked.folder +
        " has neither artifacts (bug-N.heddle) nor a campaign. Was it the folder of `heddle run -o`?"};
  auto latest = read_artifact(bugs.back().path);
  if (!latest) return latest.error();
  std::vector<std::string> paths;
  std::size_t others = 0;
  for (const NumberedFile& bug : bugs) {
    auto trace = read_artifact(bug.path);
    if (!trace) return trace.error();
    const bool same = trace->program.path == latest->program.path &&
                      trace->program.build_id == latest->program.build_id &&
                      trace->spec.seed == latest->spec.seed;
    if (same) paths.push_back(bug.path);
    others += same ? 0 : 1;
  }
  if (others != 0)
    warn(fmt::format("{} of the artifacts in {} are of other campaigns than the latest, and left out.",
                     others, asked.folder));
  gathered.report.tool_version = latest->tool_version;
  gathered.report.program = latest->program.argv;
  gathered.report.program_path = latest->program.path;
  gathered.report.build_id = latest->program.build_id;
  gathered.report.seed = latest->spec.seed;
  gathered.report.complete = false;
  return read_artifacts(paths, {}, gathered);
}

}  // namespace

int report_command(const Arguments& arguments) {
  std::string named = "heddle-out";
  ReportFiles files;
  CLI::App app(
      "Makes reports of one campaign from what it left in its folder: a page for a browser, unless another "
      "kind is asked for.",
      "heddle report");
  app.footer(
      "examples:\n"
      "  heddle report                               writes heddle-out/report.html\n"
      "  heddle report heddle-out/campaign-2.json    not the latest campaign\n"
      "  heddle report heddle-out -o bugs.html\n"
      "  heddle report heddle-out --sarif bugs.sarif --junit bugs.xml");
  app.add_option("campaign", named,
                 "the folder in which campaigns put their artifacts, of which the latest is meant, or the "
                 "campaign-N.json of one [heddle-out]")
      ->type_name("DIR|FILE");
  std::string output;
  app.add_option("-o,--output", output, "the page [DIR/report.html]")->type_name("FILE");
  add_report_options(app, files);
  if (const auto code = parse_command(app, arguments)) return *code;
  const auto asked = look_up(named);
  if (!asked) return complain(asked.error());
  Gathered gathered;
  const Status done =
      asked->campaign.empty() ? gather_without_campaign(*asked, gathered) : gather_campaign(*asked, gathered);
  if (!done) return complain(done.error());
  const bool none = files.json.empty() && files.sarif.empty() && files.junit.empty() && files.html.empty();
  if (!output.empty()) files.html = output;
  if (none && output.empty()) files.html = path_in(asked->folder, "report.html");
  if (auto written = write_reports(gathered.report, files); !written) return complain(written.error());
  if (none && output != "-")
    fmt::print("{}: {} {}{}\n", files.html, gathered.report.findings.size(),
               gathered.report.findings.size() == 1 ? "finding" : "findings",
               asked->is_latest_of_several ? " of " + asked->campaign : "");
  return 0;
}

}  // namespace heddle::cli
