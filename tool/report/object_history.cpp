#include "tool/report/object_history.h"

#include <algorithm>
#include <string_view>

#include "tool/report/escape.h"

namespace heddle::report {
namespace {

constexpr std::string_view kHistoryMark = "heddle-history\n";

// enq(3), deq → 3
std::string operation_text(const Json& operation, bool pending) {
  std::string text = operation.at("method");
  const Json& arguments = operation.at("args");
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i == 0 ? "(" : ", ") + arguments[i].dump();
  if (!arguments.empty()) text += ")";
  const Json& result = operation.at("result");
  if (pending) return text + " → ?";
  if (result.is_null()) return text;
  return text + " → " + (result.is_string() ? result.get<std::string>() : result.dump());
}

Json operations_of(const Json& history) {
  const std::uint64_t prefix = history.at("prefix");
  const std::uint64_t violating = history.at("operation");
  const auto involved = history.at("involved").get<std::vector<std::uint64_t>>();
  Json list = Json::array();
  for (const Json& operation : history.at("operations")) {
    const std::uint64_t index = list.size();
    const bool pending = operation.at("return").get<std::uint64_t>() >= prefix;
    const bool is_involved = std::find(involved.begin(), involved.end(), index) != involved.end();
    Json entry;
    entry["thread"] = operation.at("thread").get<std::uint32_t>();
    entry["text"] = utf8(escaped(operation_text(operation, pending)));
    entry["call"] = operation.at("call").get<std::uint64_t>();
    entry["end"] = pending ? prefix : operation.at("return").get<std::uint64_t>();
    entry["pending"] = pending;
    entry["mark"] = index == violating ? "violating" : is_involved ? "involved" : "none";
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

Json page_history(const Trace& trace) {
  for (const TraceEvent& event : trace.events) {
    if (event.kind != EventKind::kNote) continue;
    const std::string_view text = trace.text_of(event);
    if (text.substr(0, kHistoryMark.size()) != kHistoryMark) continue;
    try {
      const Json history = Json::parse(text.substr(kHistoryMark.size()));
      Json page;
      page["object"] = utf8(escaped(history.at("object").get<std::string>()));
      page["operations"] = operations_of(history);
      return page;
    } catch (const Json::exception&) {
      return nullptr;  // an artifact may come from anywhere
    }
  }
  return nullptr;
}

}  // namespace heddle::report
