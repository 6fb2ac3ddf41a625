#include "tool/report/fixed.h"

#include <fmt/format.h>

#include <cmath>

#include "tool/report/escape.h"
#include "tool/report/json.h"
#include "tool/report/json_parts.h"
#include "tool/report/places.h"
#include "tool/report/shell_word.h"

namespace heddle::report {
namespace {

using Verdict = FixedAnswer::Verdict;
using FoundBy = FixedAnswer::FoundBy;

std::string executions_text(std::uint64_t n) { return grouped(n) + (n == 1 ? " execution" : " executions"); }

const char* word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGone:
      return "gone";
    case Verdict::kStillThere:
      return "still there";
    default:
      return "not known";
  }
}

const char* word_of(FoundBy by) {
  switch (by) {
    case FoundBy::kOldExecution:
      return "the old execution, carried over";
    case FoundBy::kNearby:
      return "an execution near the old one";
    case FoundBy::kRandom:
      return "random executions";
    case FoundBy::kSearch:
      return "a search by all strategies";
    default:
      return "";
  }
}

std::string summary_of(const Trace& trace) {
  return trace.findings.empty() ? std::string("?")
                                : finding_summary(trace, trace.findings.front(), PathStyle(trace));
}

// "seen in 62 of 2,000 executions: 3.1 % (95 % interval: 2.4 % to 4.0 %)"
std::string seen_text(const Proportion& seen) {
  if (seen.hits == 0)
    return fmt::format("in none of {}: below {} with 95 % confidence", executions_text(seen.executions),
                       bound_text(seen.high()));
  return fmt::format("seen in {} of {}: {} (95 % interval: {} to {})", grouped(seen.hits),
                     executions_text(seen.executions), rate_text(seen.rate()), rate_text(seen.low()),
                     bound_text(seen.high()));
}

std::string left_out_text(const MeasuredRate& rate) {
  std::string text;
  if (rate.ended_by_other != 0)
    text += fmt::format("; another bug ended {} more before", grouped(rate.ended_by_other));
  if (rate.unfinished != 0)
    text += fmt::format("; {} more were not run to their end", grouped(rate.unfinished));
  return text;
}

// How sure is it that something has changed? From the least rate that the old program may have.
std::string evidence(const FixedAnswer& answer) {
  if (!answer.before || !answer.now || answer.now->seen.hits != 0 || answer.exhausted) return {};
  const std::string random = executions_text(answer.now->seen.executions);
  if (answer.before->seen.hits == 0)
    return "  note: random executions do not show it in the old program, either: that there is none now says "
           "little. What counts is that the old execution does not lead to it, and the search.\n";
  const double missed = none_of(answer.now->seen.executions, answer.before->seen.low());
  if (missed > 0.05)
    return fmt::format(
        "  note: with the old rate {} could show none by chance (probability up to {}): give more time.\n",
        random, bound_text(missed));
  return fmt::format("  with the old rate, {} would show none with probability {} at most\n", random,
                     missed < 1e-6 ? "0.0001 %" : bound_text(missed));
}

std::string looked(const FixedAnswer& answer) {
  std::string text = "  looked at: ";
  if (!answer.why_not_carried.empty()) {
    text += "not the old execution (" + escaped(answer.why_not_carried) + ")";
  } else {
    text += fmt::format("the old execution, of whose {} {} {} there are {} here", grouped(answer.departures),
                        answer.departures == 1 ? "departure" : "departures", "from the usual course",
                        grouped(answer.departures_there));
  }
  if (answer.nearby != 0) text += fmt::format("; {} near it", executions_text(answer.nearby));
  if (answer.now) text += fmt::format("; {} drawn at random", grouped(answer.now->seen.executions));
  if (answer.searched != 0) text += fmt::format("; {} by all strategies", grouped(answer.searched));
  return text + "\n";
}

Json rate_json(const std::optional<MeasuredRate>& rate) {
  if (!rate) return nullptr;
  return {{"hits", rate->seen.hits},        {"executions", rate->seen.executions},
          {"rate", rate->seen.rate()},      {"low", rate->seen.low()},
          {"high", rate->seen.high()},      {"ended_by_other_bugs", rate->ended_by_other},
          {"unfinished", rate->unfinished}, {"seconds", rate->seconds}};
}

Json artifact_json(const std::string& artifact) {
  return artifact.empty() ? Json(nullptr) : Json(utf8(artifact));
}

// Two digits that count.
std::string per_cent(double share, double (*round)(double)) {
  if (share <= 0) return "0 %";
  const double percent = std::min(share * 100, 100.0);
  const int digits = std::max(1 - static_cast<int>(std::floor(std::log10(percent))), 0);
  const double scale = std::pow(10.0, digits);
  // (What is a whole number but for the last bits stays so.)
  const double scaled = percent * scale;
  const double whole = std::fabs(scaled - std::round(scaled)) < 1e-9 ? std::round(scaled) : round(scaled);
  return fmt::format("{:.{}f} %", std::min(whole / scale, 100.0), digits);
}

}  // namespace

std::string bound_text(double bound) { return per_cent(bound, &std::ceil); }
std::string rate_text(double rate) { return per_cent(rate, &std::round); }

std::string fixed_verdict(const FixedAnswer& answer) {
  std::string text = fmt::format("heddle: {}: {}", word_of(answer.verdict), summary_of(*answer.bug));
  if (answer.found != nullptr) {
    const std::string now = summary_of(*answer.found);
    if (now != summary_of(*answer.bug)) text += "; now: " + now;
  }
  return text + "\n";
}

std::string fixed_text(const FixedAnswer& answer) {
  std::string text = fixed_verdict(answer);
  if (answer.is_same_build) text += "  note: this is the very program of the artifact; nothing was changed\n";
  if (answer.before) {
    text += "  before: " + seen_text(answer.before->seen) + left_out_text(*answer.before) + "\n";
  } else if (!answer.why_no_before.empty()) {
    text += "  before: not known. " + escaped(answer.why_no_before) + "\n";
  }
  if (answer.now) text += "  now:    " + seen_text(answer.now->seen) + left_out_text(*answer.now) + "\n";
  if (answer.exhausted && answer.found == nullptr)
    text += "  every execution of the new program was explored: none shows it\n";
  if (answer.verdict != Verdict::kStillThere) {
    text += evidence(answer) + looked(answer);
  } else {
    text += fmt::format("  found by: {}\n", word_of(answer.found_by));
    if (!answer.found_artifact.empty())
      text += "  reproduce: heddle replay " + path_word(answer.found_artifact) + "\n";
  }
  for (const OtherBug& other : answer.others) {
    text += fmt::format("  other: {} ({}), which is not the bug of the artifact\n", summary_of(*other.trace),
                        executions_text(other.count));
    if (!other.artifact.empty()) text += "         heddle replay " + path_word(other.artifact) + "\n";
  }
  for (const std::string& warning : answer.warnings) text += "  note: " + escaped(warning) + "\n";
  return text;
}

std::string fixed_json(const FixedAnswer& answer) {
  Json json;
  json["version"] = kReportVersion;
  json["tool"] = {{"name", "heddle"}, {"version", answer.tool_version}};
  json["answer"] = word_of(answer.verdict);
  json["artifact"] = utf8(answer.artifact);
  json["bug"] =
      answer.bug->findings.empty() ? Json(nullptr) : json_finding(*answer.bug, answer.bug->findings.front());
  json["program"] = {{"argv", Json::array()},
                     {"path", utf8(answer.program_path)},
                     {"build_id", utf8(answer.build_id)},
                     {"same_build", answer.is_same_build}};
  for (const std::string& word : answer.program) json["program"]["argv"].push_back(utf8(word));
  json["seed"] = answer.seed;
  json["strategy"] = "random";
  json["before"] = rate_json(answer.before);
  json["now"] = rate_json(answer.now);
  json["exhausted"] = answer.exhausted;
  json["found_by"] = answer.found == nullptr ? Json(nullptr) : Json(word_of(answer.found_by));
  json["found"] = nullptr;
  if (answer.found != nullptr) {
    json["found"] = json_finding(*answer.found, answer.found->findings.front());
    json["found"]["artifact"] = artifact_json(answer.found_artifact);
  }
  json["looked"] = {{"departures", answer.departures},
                    {"departures_there", answer.departures_there},
                    {"not_carried_over",
                     answer.why_not_carried.empty() ? Json(nullptr) : Json(utf8(answer.why_not_carried))},
                    {"near", answer.nearby},
                    {"by_all_strategies", answer.searched}};
  json["others"] = Json::array();
  for (const OtherBug& other : answer.others) {
    Json finding = json_finding(*other.trace, other.trace->findings.front());
    finding["count"] = other.count;
    finding["artifact"] = artifact_json(other.artifact);
    json["others"].push_back(std::move(finding));
  }
  json["warnings"] = Json::array();
  for (const std::string& warning : answer.warnings) json["warnings"].push_back(utf8(warning));
  json["complete"] = answer.complete;
  json["inconclusive"] = answer.inconclusive.empty() ? Json(nullptr) : Json(utf8(answer.inconclusive));
  return dumped(json);
}

}  // namespace heddle::report
