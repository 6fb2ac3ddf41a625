// The reports that a command was asked to write.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/base/result.h"
#include "tool/trace/campaign_report.h"

namespace heddle::cli {

struct ReportFiles {
  std::string json, sarif, junit, html;  // "-": standard output; empty: not asked for
};

void add_report_options(CLI::App& app, ReportFiles& files);
// All that can be written are; the error names the others.
Status write_reports(const report::CampaignReport& report, const ReportFiles& files);

// Says what could not be written. A bug that was found stays one, whatever becomes of its reports: answers
// `code` unless that says that all is well.
int after_output(int code, const Status& written);

// A campaign leaves what it found in its folder: artifacts, and this file beside them, from which `heddle
// report` makes the other reports later. Each campaign has a file of its own, whoever else uses the folder.
class CampaignFile {
 public:
  explicit CampaignFile(std::string folder) : folder_(std::move(folder)) {}
  // Makes the file, or puts what is known now in the place of what was. Where nothing was found and the
  // folder is not there, nothing is written.
  Status keep(const report::CampaignReport& report);

 private:
  std::string folder_;
  std::string path_;  // empty: it is not there yet
};

}  // namespace heddle::cli
