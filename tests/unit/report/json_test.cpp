#include "tool/report/json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "golden.h"
#include "samples.h"
#include "tests/unit/mutated.h"
#include "tool/report/kept_campaign.h"
#include "tool/report/summary.h"

namespace heddle::report {
namespace {

using Parsed = nlohmann::json;

// Fixture: a campaign that found a race and a thread leak.
class CampaignTest : public ::testing::Test {
 protected:
  CampaignTest()
      : race_(sample_finding(FindingKind::kDataRace)), leak_(sample_finding(FindingKind::kThreadLeak)) {
    report_.tool_version = "0.1.0";
    report_.seed = 0xfedcba9876543210;
    report_.program = {"./program", "\xff"};
    report_.program_path = "/home/ada/work/program";
    report_.options = {{"strategy", "auto"}, {"max-failures", "0"}};
    report_.executions = 12'345;
    report_.buggy_executions = 310;
    report_.seconds = 3.0;
    report_.workers = 2;
    report_.endings[static_cast<std::size_t>(Ending::kExited)] = 12'030;
    report_.endings[static_cast<std::size_t>(Ending::kTimedOut)] = 3;
    report_.endings[static_cast<std::size_t>(Ending::kCut)] = 2;
    report_.strategies = {{"random", 12'345, 310}};
    report_.findings = {{&race_, 0, 310, 17, "heddle-out/bug-1.heddle", ""}, {&leak_, 0, 1, 40, "", ""}};
    report_.distinct_executions = 4'000;
    report_.executions_seen_once = 1'234;
    report_.executions_seen_twice = 500;
    report_.read_pairs = 37;
    report_.stopped_because = "the time was up";
  }

  Trace race_, leak_;
  CampaignReport report_;
};

// Ten thousand bad files: read, or refused with a message.
TEST_F(CampaignTest, MutatedFilesAreReadOrRefused) {
  const std::string file = json_report(report_);
  ASSERT_TRUE(parse_campaign(file));
  Random random(7);
  int refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto campaign = parse_campaign(mutated(file, random));
    if (campaign) continue;
    ++refused;
    ASSERT_EQ(campaign.error().code, ExitCode::kBadInput);
    ASSERT_FALSE(campaign.error().message.empty());
  }
  EXPECT_GT(refused, 5000);
}

TEST_F(CampaignTest, JsonHasWhatTheInterfacePromises) {
  const Parsed json = Parsed::parse(json_report(report_));
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["seed"], 0xfedcba9876543210u);
  EXPECT_EQ(json["executions"], 12'345);
  EXPECT_EQ(json["buggy_executions"], 310);
  EXPECT_DOUBLE_EQ(json["executions_per_second"], 4115.0);
  EXPECT_EQ(json["strategies"][0]["name"], "random");
  EXPECT_FALSE(json.contains("outcomes"));
  EXPECT_EQ(json["program"]["argv"][1], "\\xff");
  EXPECT_EQ(json["options"]["max-failures"], "0");
  EXPECT_EQ(json["endings"]["timed_out"], 3);
  EXPECT_EQ(json["endings"]["cut"], 2);
  ASSERT_EQ(json["findings"].size(), 2u);
  const Parsed& race = json["findings"][0];
  EXPECT_EQ(race["kind"], "data race");
  EXPECT_EQ(race["severity"], "bug");
  EXPECT_EQ(race["summary"], "data race src/queue.cpp:12:11 in Queue::push(int)");
  EXPECT_EQ(race["count"], 310);
  EXPECT_EQ(race["first_execution"], 17);
  EXPECT_EQ(race["artifact"], "heddle-out/bug-1.heddle");
  EXPECT_EQ(race["signature"].get<std::string>().size(), 16u);
  ASSERT_EQ(race["locations"].size(), 2u);
  EXPECT_EQ(race["locations"][0]["file"], "/home/ada/work/src/queue.cpp");
  EXPECT_EQ(race["locations"][0]["line"], 12);
  EXPECT_EQ(race["locations"][1]["line"], 21);
  EXPECT_EQ(race["stacks"][0]["variable"], "queue.size");
  EXPECT_EQ(race["stacks"][0]["frames"][0]["function"], "Queue::push(int)");
  EXPECT_EQ(json["findings"][1]["severity"], "warning");
  EXPECT_TRUE(json["findings"][1]["artifact"].is_null());
}

TEST_F(CampaignTest, OutcomesAppearWithTheHistogram) {
  report_.histogram = true;
  EXPECT_TRUE(Parsed::parse(json_report(report_))["outcomes"].is_object());
  report_.outcomes = {{"r1=0 r2=0", 9}, {"\xff", 2}};
  const Parsed json = Parsed::parse(json_report(report_));
  EXPECT_EQ(json["outcomes"]["r1=0 r2=0"], 9);
  EXPECT_EQ(json["outcomes"]["\\xff"], 2);
}

// The part of JSON Schema that docs/guide/report-schema.json uses: type, required, properties, items, enum, $ref.
class SchemaCheck {
 public:
  explicit SchemaCheck(Parsed schema) : root_(std::move(schema)) {}

  void check(const Parsed& value) { check(value, root_, "$"); }

 private:
  static bool has_type(const Parsed& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    return type == "null" && value.is_null();
  }

  void check(const Parsed& value, const Parsed& schema, const std::string& where) {
    if (schema.contains("$ref")) {
      const std::string pointer = schema["$ref"].get<std::string>().substr(1);
      return check(value, root_.at(Parsed::json_pointer(pointer)), where);
    }
    if (schema.contains("type")) {
      const Parsed types = schema["type"].is_array() ? schema["type"] : Parsed::array({schema["type"]});
      bool fits = false;
      for (const auto& type : types) fits |= has_type(value, type);
      EXPECT_TRUE(fits) << where << " is " << value.dump();
    }
    if (schema.contains("const")) {
      EXPECT_EQ(value, schema["const"]) << where;
    }
    if (schema.contains("enum")) {
      bool known = false;
      for (const auto& choice : schema["enum"]) known |= choice == value;
      EXPECT_TRUE(known) << where << " is " << value.dump();
    }
    for (const auto& key : schema.value("required", Parsed::array())) {
      EXPECT_TRUE(value.contains(key.get<std::string>())) << where << " lacks " << key;
    }
    const Parsed properties = schema.value("properties", Parsed::object());
    if (value.is_object()) {
      for (const auto& [key, member] : value.items()) {
        if (properties.contains(key)) {
          check(member, properties[key], where + "." + key);
        } else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
          check(member, schema["additionalProperties"], where + "." + key);
        } else if (schema.contains("properties")) {
          ADD_FAILURE() << where << "." << key << " is not in the schema";
        }
      }
    }
    if (value.is_array() && schema.contains("items")) {
      for (const auto& item : value) check(item, schema["items"], where + "[]");
    }
  }

  Parsed root_;
};

TEST_F(CampaignTest, EveryKindOfFindingFitsThePublishedSchema) {
  std::ifstream file(SCHEMA_FILE);
  ASSERT_TRUE(file) << SCHEMA_FILE;
  std::vector<Trace> traces;
  for (int kind = 1; kind < static_cast<int>(FindingKind::kCount); ++kind) {
    traces.push_back(sample_finding(static_cast<FindingKind>(kind)));
  }
  for (const Trace& trace : traces) report_.findings.push_back({&trace, 0, 1, 2, "a", ""});
  report_.histogram = true;
  report_.outcomes = {{"x", 1}};
  report_.warnings = {"no -g"};
  SchemaCheck(Parsed::parse(file)).check(Parsed::parse(json_report(report_)));
}

TEST_F(CampaignTest, SummaryAsPeopleReadIt) {
  report_.histogram = true;
  report_.outcomes = {{"r1=0 r2=0", 1'000}, {"r1=1 r2=0", 11'034}, {"r1=1 r2=1\n", 1}};
  report_.warnings = {"./program was built without -g: places are shown by function only."};
  expect_golden("summary", summary_text(report_));
}

TEST_F(CampaignTest, SummaryOfNothing) {
  CampaignReport empty;
  const std::string text = summary_text(empty);
  EXPECT_NE(text.find("0 executions"), std::string::npos);
  EXPECT_NE(text.find("bugs: none found"), std::string::npos);
}

TEST_F(CampaignTest, WhatIsLeftIsHonest) {
  const auto left = [&] {
    const std::string text = summary_text(report_);
    const std::size_t at = text.find("  left: ");
    return text.substr(at + 8, text.find('\n', at) - at - 8);
  };
  EXPECT_EQ(
      left(),
      "4,000 of 12,345 executions were distinct, with 37 pairs of a store and its reader; about 10 % of "
      "further ones would show something new (95 % interval: 9.3 % to 11 %)");
  // 1234 / 12345 ± 1.96 sqrt(1234 (1 - 1234 / 12345) + 2 · 500) / 12345
  EXPECT_NEAR(report_.share_new_interval().low, 0.09266, 1e-5);
  EXPECT_NEAR(report_.share_new_interval().high, 0.10725, 1e-5);
  report_.executions_seen_once = 12'345;
  EXPECT_EQ(left().substr(0, 5), "much:");
  report_.executions_seen_once = 0;
  EXPECT_EQ(left().substr(0, 6), "little");
  report_.executions_seen_twice = 0;
  EXPECT_DOUBLE_EQ(report_.share_new_interval().high, 3.0 / 12'345);  // the rule of three
  report_.distinct_executions = 0;
  EXPECT_EQ(left().substr(0, 9), "not known");
  report_.exhausted = true;
  EXPECT_EQ(left().substr(0, 7), "nothing");
}

TEST(Progress, OneLineThatFits) {
  EXPECT_EQ(progress_line({12'345, 0, 0, 3.0, 60, 0, 0, 0}, 100),
            "heddle: 12,345 executions, 4,115/s · 0:57 left · no bug yet");
  const Progress some = {12'345, 2, 345, 3.0, 60, 0, 4'000, 1'235};
  EXPECT_EQ(progress_line(some, 120),
            "heddle: 12,345 executions, 4,115/s · 4,000 distinct, 10 % new · 0:57 left · 2 bugs in 345 "
            "executions");
  EXPECT_EQ(progress_line(some, 79),
            "12,345 executions, 4,115/s · 4,000 distinct, 10 % new · 0:57 left · 2 bugs");
  EXPECT_EQ(progress_line({645'607, 0, 0, 11.137, 20, 0, 7, 0}, 79),
            "645,607 executions, 58k/s · 7 distinct, 0 % new · 0:09 left · no bug yet");
  EXPECT_EQ(progress_line({6'456'070, 0, 0, 4, 20, 0, 1'234'567, 1'000'000}, 79),
            "6,456,070 executions, 1.6M/s · 1.2M distinct, 15 % new · 0:16 left · no bug yet");
  // Neither a time nor a number: how long it has run. A number: how long it will take at this rate.
  EXPECT_EQ(progress_line({1, 0, 0, 65, 0, 0, 0, 0}, 79), "heddle: 1 execution, 0.0/s · 1:05 · no bug yet");
  EXPECT_EQ(progress_line({50, 1, 2, 5.0, 0, 100, 0, 0}, 79),
            "heddle: 50 of 100 executions, 10/s · 0:05 left · 1 bug in 2 executions");
  EXPECT_EQ(progress_line({50, 0, 0, 5.0, 7, 100, 0, 0}, 79),
            "heddle: 50 of 100 executions, 10/s · 0:02 left · no bug yet");
  EXPECT_EQ(progress_line({0, 0, 0, 0, 60, 100, 0, 0}, 79),
            "heddle: 0 of 100 executions · 1:00 left · no bug yet");
  for (std::size_t width = 1; width < 130; ++width) EXPECT_LE(width_of(progress_line(some, width)), width);
  EXPECT_EQ(progress_line(some, 40), "12,345 executions · 0:57 left · 2 bugs");
  EXPECT_EQ(progress_line(some, 20), "0:57 left · 2 bugs");
}

TEST(Durations, AreReadable) {
  EXPECT_EQ(duration_text(0.354), "0.35 s");
  EXPECT_EQ(duration_text(12.34), "12.3 s");
  EXPECT_EQ(duration_text(245), "4 m 05 s");
  EXPECT_EQ(duration_text(7800), "2 h 10 m");
}

TEST(JsonTrace, IsValidJsonWithEventsAndPlaces) {
  const Parsed json = Parsed::parse(json_trace(message_passing()));
  EXPECT_EQ(json["events"].size(), 11u);
  EXPECT_EQ(json["events"][8]["stale"], true);
  EXPECT_EQ(json["events"][7]["reads_from"], 5);
  EXPECT_EQ(json["events"][7]["location"], "flag");
  EXPECT_EQ(json["run"]["seed"], 42);
  EXPECT_EQ(json["findings"][0]["kind"], "assertion failure");
  EXPECT_EQ(json["choices"][1]["kind"], "reads-from");
}

}  // namespace
}  // namespace heddle::report
