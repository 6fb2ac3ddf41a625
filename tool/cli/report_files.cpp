#include "tool/cli/report_files.h"

#include <filesystem>

#include "tool/cli/terminal.h"
#include "tool/report/html.h"
#include "tool/report/json.h"
#include "tool/report/junit.h"
#include "tool/report/sarif.h"

namespace heddle::cli {

void add_report_options(CLI::App& app, ReportFiles& files) {
  app.add_option("--json", files.json, "write a report as JSON; - is standard output")->type_name("FILE");
  app.add_option("--sarif", files.sarif, "write a report as SARIF 2.1.0, for code scanning and editors")
      ->type_name("FILE");
  app.add_option("--junit", files.junit, "write a report as JUnit XML, for CI services")->type_name("FILE");
  app.add_option("--html", files.html, "write a report as a page for a browser, in one file")
      ->type_name("FILE");
}

Status write_reports(const report::CampaignReport& report, const ReportFiles& files) {
  struct Kind {
    const std::string& path;
    std::string (*render)(const report::CampaignReport&);
  };
  for (const Kind& kind : {Kind{files.json, report::json_report}, Kind{files.sarif, report::sarif_report},
                           Kind{files.junit, report::junit_report}, Kind{files.html, report::html_report}}) {
    if (kind.path.empty()) continue;
    if (auto written = write_text_file(kind.path, kind.render(report)); !written) return written;
  }
  return Done{};
}

Status keep_campaign(const report::CampaignReport& report, const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return Done{};  // nothing was found, and nothing was before
  return write_text_file(folder + "/" + kCampaignFile, report::json_report(report));
}

}  // namespace heddle::cli
