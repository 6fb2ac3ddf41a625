// What everybody who shows an execution does with an artifact from anywhere that the reader has accepted:
// fingerprints, which folders of known bugs are searched by, and every report. The input is the artifact's
// sections, as of artifact_fuzzer.
#include "tests/fuzz/fuzz.h"
#include "tool/artifact/codec.h"
#include "tool/base/bytes.h"
#include "tool/findings/fingerprint.h"
#include "tool/linearize/observed.h"
#include "tool/report/html.h"
#include "tool/report/json.h"
#include "tool/report/junit.h"
#include "tool/report/sarif.h"
#include "tool/report/show.h"
#include "tool/report/summary.h"
#include "tool/report/text.h"

namespace heddle {
namespace {

// The page around it is large and always the same; one input in so many is enough for it.
constexpr std::size_t kSeldom = 16;

void show(const Trace& trace, bool with_page) {
  report::CampaignReport campaign;
  for (std::size_t i = 0; i < trace.findings.size(); ++i) {
    fuzz::require(fingerprint(trace, trace.findings[i]).size() == 16);
    fuzz::require(!report::text_report(trace, trace.findings[i]).empty());
    campaign.findings.push_back({&trace, i, 1, 0, "bug-1.heddle", {}});
  }
  report::ShowOptions options;
  fuzz::require(!report::show_text(trace, options).empty());
  options.all_events = true;
  options.width = 40;
  fuzz::require(!report::show_text(trace, options).empty());
  fuzz::require(!report::json_trace(trace).empty());
  fuzz::require(!report::json_report(campaign).empty());
  fuzz::require(!report::junit_report(campaign).empty());
  fuzz::require(!report::sarif_report(campaign).empty());
  fuzz::require(!report::summary_text(campaign).empty());
  if (with_page) fuzz::require(!report::html_trace(trace, "bug-1.heddle").empty());
  if (const auto history = linearize::observed_history(trace)) {
    for (linearize::OperationIndex i = 0; i < history->operations.size(); ++i)
      fuzz::require(!linearize::text_of(*history, i).empty());
  }
}

}  // namespace
}  // namespace heddle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  if (size == 0 || data[0] != 'A') return fuzz::judged(false, "it has no sections");
  std::vector<ArtifactSection> sections;
  ByteReader reader(fuzz::bytes_of(data + 1, size - 1));
  while (!reader.at_end() && !reader.failed() && sections.size() < 32) {
    const auto type = static_cast<std::uint32_t>(reader.varint());
    const std::string_view payload = reader.string();
    if (!reader.failed()) sections.push_back({type, false, std::string(payload)});
  }
  const auto trace = decode_trace(sections);
  if (trace) show(*trace, fuzz::is_one_in(kSeldom, data, size));
  return fuzz::judged_result(trace);
}
