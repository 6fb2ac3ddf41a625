#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "samples.h"
#include "tool/report/html.h"
#include "tool/report/json.h"
#include "tool/report/junit.h"
#include "tool/report/kept_campaign.h"
#include "tool/report/plain_words.h"
#include "tool/report/sarif.h"

namespace heddle::report {
namespace {

using Parsed = nlohmann::json;

CampaignReport campaign_of(const Trace& trace) {
  CampaignReport report;
  report.tool_version = "0.1.0";
  report.program = {"./program"};
  report.executions = 10;
  report.findings = {{&trace, 0, 3, 1, "heddle-out/bug-1.heddle", ""}};
  return report;
}

std::string data_in(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return page.substr(from, page.find("</script>", from) - from);
}

// Every kind of finding has a page, SARIF, JUnit and words; whatever is in its strings stays data.
TEST(Reports, EveryKindCanBeRendered) {
  for (int kind = 1; kind < static_cast<int>(FindingKind::kCount); ++kind) {
    const Trace trace = sample_finding(static_cast<FindingKind>(kind));
    const CampaignReport report = campaign_of(trace);
    SCOPED_TRACE(to_string(static_cast<FindingKind>(kind)));
    const Parsed data = Parsed::parse(data_in(html_report(report)));
    EXPECT_EQ(data["bugs"][0]["kind"], to_string(static_cast<FindingKind>(kind)));
    EXPECT_FALSE(data["bugs"][0]["words"].get<std::string>().empty());
    EXPECT_EQ(Parsed::parse(sarif_report(report))["runs"][0]["results"].size(), 1u);
    EXPECT_NE(junit_report(report).find("<testcase"), std::string::npos);
  }
}

TEST(Reports, MarkupInATraceNeverBecomesMarkupOfThePage) {
  Trace trace = message_passing();
  const std::string hostile = "</script><script>alert(1)</script><!--<script>@HEDDLE_DATA@";
  trace.output = hostile;
  trace.findings[0].message = hostile;
  trace.program.argv = {hostile};
  const std::string page = html_trace(trace, hostile);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  const std::string data = data_in(page);
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(Parsed::parse(data)["bugs"][0]["output"], hostile);
}

// As include/heddle/lin/judge.hpp leaves it.
Trace with_history(const std::string& note) {
  Trace trace = sample_finding(FindingKind::kNotLinearizable);
  TraceEvent event;
  event.kind = EventKind::kNote;
  event.id = EventId{static_cast<std::uint32_t>(trace.events.size())};
  event.text = static_cast<std::uint32_t>(trace.texts.size());
  trace.texts.push_back(note);
  trace.events.push_back(event);
  return trace;
}

TEST(Reports, AHistoryIsShownOnThePage) {
  const Trace trace = with_history(
      "heddle-history\n{\"object\":\"Queue\",\"prefix\":5,\"operation\":2,\"involved\":[0,2],\"operations\":["
      "{\"thread\":1,\"method\":\"enq\",\"args\":[3],\"result\":null,\"call\":0,\"return\":1},"
      "{\"thread\":1,\"method\":\"enq\",\"args\":[4],\"result\":null,\"call\":2,\"return\":7},"
      "{\"thread\":2,\"method\":\"deq\",\"args\":[],\"result\":\"empty\",\"call\":3,\"return\":4}]}");
  const Parsed history = Parsed::parse(data_in(html_trace(trace, "")))["bugs"][0]["history"];
  EXPECT_EQ(history["object"], "Queue");
  ASSERT_EQ(history["operations"].size(), 3u);
  EXPECT_EQ(history["operations"][0]["text"], "enq(3)");
  EXPECT_EQ(history["operations"][0]["mark"], "involved");
  EXPECT_EQ(history["operations"][1]["text"], "enq(4) → ?");
  EXPECT_EQ(history["operations"][1]["end"], 5);
  EXPECT_EQ(history["operations"][2]["text"], "deq → empty");
  EXPECT_EQ(history["operations"][2]["mark"], "violating");
  const Trace bad = with_history("heddle-history\n{\"object\":7,\"operations\":[]}");
  EXPECT_TRUE(Parsed::parse(data_in(html_trace(bad, "")))["bugs"][0]["history"].is_null());
}

TEST(Reports, ACampaignIsReadBackAsItWasWritten) {
  const Trace trace = sample_finding(FindingKind::kDataRace);
  CampaignReport report = campaign_of(trace);
  report.seed = 0xfedcba9876543210;
  report.strategies = {{"pct:d=3", 10, 3}};
  report.histogram = true;
  report.outcomes = {{"a", 4}};
  report.endings[static_cast<std::size_t>(Ending::kTimedOut)] = 2;
  const auto kept = parse_campaign(json_report(report));
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->findings.size(), 1u);
  EXPECT_EQ(kept->findings[0].count, 3u);
  CampaignReport again = kept->report;
  again.findings = report.findings;
  EXPECT_EQ(json_report(again), json_report(report));
}

TEST(Reports, MutatedCampaignsAreRefusedOrRead) {
  const Trace trace = sample_finding(FindingKind::kDeadlock);
  const std::string good = json_report(campaign_of(trace));
  std::uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; };
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bad = good;
    if (i % 2 == 0) bad.resize(next() % bad.size());
    for (int k = 0; k < 3 && !bad.empty(); ++k) bad[next() % bad.size()] = static_cast<char>(next());
    const auto kept = parse_campaign(bad);
    refused += kept ? 0 : 1;
    if (!kept) {
      EXPECT_FALSE(kept.error().message.empty());
    }
  }
  EXPECT_GT(refused, 1000u);
}

// A fraction stands where an integer of some width is expected, and the integer cannot hold it.
TEST(Reports, FractionsThatNoIntegerHoldsAreRefused) {
  const Trace trace = sample_finding(FindingKind::kDeadlock);
  CampaignReport report = campaign_of(trace);
  report.workers = 4711;
  const std::string good = json_report(report);
  const std::string workers = "\"workers\": 4711";
  const std::size_t at = good.find(workers);
  ASSERT_NE(at, std::string::npos) << good;
  const auto with = [&](const std::string& number) {
    std::string text = good;
    text.replace(at, workers.size(), "\"workers\": " + number);
    return parse_campaign(text);
  };
  for (const char* bad : {"-1.5", "-1e300", "1e300", "2147483648.5", "1e10"}) {
    const auto kept = with(bad);
    ASSERT_FALSE(kept) << bad;
    EXPECT_FALSE(kept.error().message.empty()) << bad;
  }
  // What fits is read.
  ASSERT_TRUE(with("2.0"));
  EXPECT_EQ(with("2.0")->report.workers, 2u);
}

TEST(PlainWords, SayWhoDidWhatWhere) {
  const Trace race = sample_finding(FindingKind::kDataRace);
  const std::string words = plain_words(race, race.findings[0]);
  EXPECT_NE(words.find("Nothing orders these two accesses"), std::string::npos) << words;
  const Trace stale = message_passing();
  EXPECT_NE(plain_words(stale, stale.findings[0]).find("old"), std::string::npos);
}

}  // namespace
}  // namespace heddle::report
