#include "tool/cli/report_files.h"

#include <filesystem>
#include <optional>

#include "tool/base/atomic_file.h"
#include "tool/cli/terminal.h"
#include "tool/findings/findings_folder.h"
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
  app.add_option("--html", files.html, "write a report as a page for a browser")->type_name("FILE");
}

Status write_reports(const report::CampaignReport& report, const ReportFiles& files) {
  struct Kind {
    const std::string& path;
    std::string (*render)(const report::CampaignReport&);
  };
  std::optional<Error> failed;
  for (const Kind& kind : {Kind{files.json, report::json_report}, Kind{files.sarif, report::sarif_report},
                           Kind{files.junit, report::junit_report}, Kind{files.html, report::html_report}}) {
    if (kind.path.empty()) continue;
    auto written = write_text_file(kind.path, kind.render(report));
    if (written) continue;
    failed = Error{failed ? failed->message + "\n" + written.error().message : written.error().message};
  }
  if (failed) return *failed;
  return Done{};
}

int after_output(int code, const Status& written) {
  if (written) return code;
  const int own = complain(written.error());
  return code != static_cast<int>(ExitCode::kNoBug) ? code : own;
}

Status CampaignFile::keep(const report::CampaignReport& report) {
  std::error_code error;
  if (folder_.empty() || !std::filesystem::is_directory(folder_, error)) return Done{};
  const std::string text = report::json_report(report);
  if (!path_.empty()) return write_file_atomically(path_, text);
  auto added = add_numbered_file(folder_, kCampaignName, text);
  if (!added) return added.error();
  path_ = added->path;
  return Done{};
}

}  // namespace heddle::cli
