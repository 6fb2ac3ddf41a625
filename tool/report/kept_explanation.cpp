#include "tool/report/kept_explanation.h"

#include <stdexcept>

#include "tool/base/atomic_file.h"
#include "tool/findings/fingerprint.h"
#include "tool/report/escape.h"
#include "tool/report/page_data.h"

namespace heddle::report {
namespace {

constexpr std::uint64_t kMostBytes = 16 << 20;
constexpr const char* kFormat = "heddle-why";
constexpr std::string_view kArtifactEnding = ".heddle";

std::string shown(const Json& json) { return utf8(escaped_lines(json.get<std::string>())); }
std::string text_of(const Json& json, const char* key) { return shown(json.at(key)); }

// A fraction would be converted, which is undefined for what the type cannot hold ([conv.fpint]).
std::int64_t number_in(const Json& json, std::int64_t least, std::int64_t most) {
  if (!json.is_number_integer()) throw std::invalid_argument("no integer");
  const auto number = json.get<std::int64_t>();
  if (number < least || number > most) throw std::out_of_range("number");
  return number;
}

std::int64_t thread_of(const Json& json) { return number_in(json.at("thread"), 0, 0xffff); }

Json side_of(const Json& json) {
  Json side{{"lines", Json::array()}, {"flows", Json::array()}};
  for (const Json& line : json.at("lines"))
    side["lines"].push_back({{"thread", thread_of(line)},
                             {"text", text_of(line, "text")},
                             {"place", text_of(line, "place")},
                             {"source", text_of(line, "source")},
                             {"inFlow", line.at("inFlow").get<bool>()}});
  const auto last = static_cast<std::int64_t>(side["lines"].size()) - 1;
  for (const Json& flow : json.at("flows"))
    side["flows"].push_back({number_in(flow.at(0), -1, last), number_in(flow.at(1), 0, last)});
  return side;
}

double share_in(const Json& json, const char* key) {
  const double share = json.at(key).get<double>();
  const bool is_share = share >= 0 && share <= 1;  // (no NaN is)
  if (!is_share) throw std::out_of_range("share");
  return share;
}

Json curve_of(const Json& json) {
  if (json.is_null()) return nullptr;
  constexpr std::int64_t kMost = 1 << 30;
  Json curve{{"words", text_of(json, "words")}, {"points", Json::array()}, {"jumps", Json::array()}};
  for (const Json& point : json.at("points"))
    curve["points"].push_back({{"at", number_in(point.at("at"), 0, kMost)},
                               {"share", share_in(point, "share")},
                               {"low", share_in(point, "low")},
                               {"high", share_in(point, "high")}});
  for (const Json& jump : json.at("jumps"))
    curve["jumps"].push_back({{"at", number_in(jump.at("at"), 0, kMost)},
                              {"from", share_in(jump, "from")},
                              {"to", share_in(jump, "to")},
                              {"text", text_of(jump, "text")}});
  return curve;
}

Json explanation_of(const Json& json) {
  Json result;
  for (const char* key : {"sentence", "evidence", "noRemedy", "how"}) result[key] = text_of(json, key);
  result["curve"] = curve_of(json.at("curve"));
  result["rootCause"] = Json::array();
  for (const Json& line : json.at("rootCause")) result["rootCause"].push_back(shown(line));
  result["rootCauseIsMinimal"] = json.at("rootCauseIsMinimal").get<bool>();
  result["differences"] = Json::array();
  for (const Json& flow : json.at("differences"))
    result["differences"].push_back({{"thread", thread_of(flow)},
                                     {"what", text_of(flow, "what")},
                                     {"fails", text_of(flow, "fails")},
                                     {"passes", text_of(flow, "passes")}});
  result["fails"] = side_of(json.at("fails"));
  result["passes"] = json.at("passes").is_null() ? Json(nullptr) : side_of(json.at("passes"));
  return result;
}

}  // namespace

std::string explanation_path(const std::string& artifact) {
  std::string stem = artifact;
  if (stem.ends_with(kArtifactEnding)) stem.resize(stem.size() - kArtifactEnding.size());
  return stem + ".why.json";
}

std::string explanation_to_keep(const Explanation& explanation, const std::vector<edit::SourceEdit>& edits) {
  const Trace& trace = explanation.failing.trace;
  Json document;
  document["format"] = kFormat;
  document["version"] = kPageDataVersion;
  document["signature"] = trace.findings.empty() ? "" : fingerprint(trace, trace.findings.front());
  document["explanation"] = page_explanation(explanation);
  document["edits"] = json_edits(edits);
  return dumped(document);
}

std::string read_explanation(const std::string& artifact) {
  auto text = read_whole_file(explanation_path(artifact), kMostBytes);
  return text ? std::move(*text) : std::string();
}

namespace {

// The document if it is one about this bug, else null.
Json document_of(const std::string& text, const std::string& fingerprint) {
  Json json = text.empty() ? Json(nullptr) : Json::parse(text, nullptr, false);
  if (!json.is_object()) return nullptr;
  if (text_of(json, "format") != kFormat || number_in(json.at("version"), 0, 1 << 20) != kPageDataVersion)
    return nullptr;
  if (text_of(json, "signature") != fingerprint) return nullptr;
  return json;
}

edit::SourceEdit edit_of(const Json& json) {
  constexpr std::int64_t kMost = 1 << 30;
  return {text_of(json, "file"), static_cast<std::uint32_t>(number_in(json.at("line"), 1, kMost)),
          static_cast<std::uint32_t>(number_in(json.at("column"), 1, kMost)), text_of(json, "before"),
          text_of(json, "after")};
}

}  // namespace

Json kept_explanation(const std::string& text, const std::string& fingerprint) {
  try {
    const Json json = document_of(text, fingerprint);
    return json.is_null() ? Json(nullptr) : explanation_of(json.at("explanation"));
  } catch (const std::exception&) {
    return nullptr;  // something of it is missing, or is of another type
  }
}

KeptFix kept_fix(const std::string& text, const std::string& fingerprint) {
  try {
    const Json json = document_of(text, fingerprint);
    if (json.is_null()) return {};
    KeptFix fix;
    fix.sentence = text_of(json.at("explanation"), "sentence");
    for (const Json& one : json.at("edits")) fix.edits.push_back(edit_of(one));
    return fix;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace heddle::report
