#include "tool/linearize/observed.h"

#include <nlohmann/json.hpp>

namespace heddle::linearize {
namespace {

using nlohmann::json;

constexpr std::string_view kMark = "heddle-history\n";

std::optional<ObservedHistory> parse(std::string_view text) {
  const json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  ObservedHistory history;
  history.object = value.at("object");
  history.source = value.at("source");
  history.prefix = value.at("prefix");
  history.violating = value.at("operation");
  history.involved = value.at("involved").get<std::vector<OperationIndex>>();
  history.order = value.at("order").get<std::vector<OperationIndex>>();
  auto client = lin::Client::parse(value.at("client").get<std::string>());
  if (!client) return std::nullopt;
  history.client = std::move(*client);
  if (value.contains("needs")) history.needs = value.at("needs").get<std::map<std::string, std::string>>();
  for (const json& entry : value.at("operations")) {
    ObservedOperation operation;
    operation.step = {entry.at("method"), entry.at("args").get<std::vector<lin::Value>>()};
    operation.thread = entry.at("thread");
    operation.result = entry.at("result").dump();
    operation.called = entry.at("call");
    operation.returned = entry.at("return");
    operation.choices_at_call = entry.at("choices").at(0);
    operation.choices_at_return = entry.at("choices").at(1);
    history.operations.push_back(std::move(operation));
  }
  const auto known = [&](OperationIndex i) { return i < history.operations.size(); };
  for (const auto* list : {&history.involved, &history.order}) {
    for (const OperationIndex i : *list) {
      if (!known(i)) return std::nullopt;
    }
  }
  return known(history.violating) ? std::optional(std::move(history)) : std::nullopt;
}

}  // namespace

std::optional<ObservedHistory> observed_history(std::string_view note) {
  if (note.substr(0, kMark.size()) != kMark) return std::nullopt;
  try {
    return parse(note.substr(kMark.size()));
  } catch (const json::exception&) {
    return std::nullopt;  // an artifact may come from anywhere
  }
}

std::optional<ObservedHistory> observed_history(const Trace& trace) {
  for (const TraceEvent& event : trace.events) {
    if (event.kind != EventKind::kNote) continue;
    const std::string_view text = trace.text_of(event);
    if (text.substr(0, kMark.size()) == kMark) return observed_history(text);
  }
  return std::nullopt;
}

std::string text_of(const ObservedHistory& history, OperationIndex index) {
  const ObservedOperation& operation = history.operations[index];
  std::string text = lin::text_of(operation.step);
  if (history.pending(index)) return text + " → ?";
  if (operation.result == "null") return text;
  const bool quoted = operation.result.front() == '"';
  return text + " → " + (quoted ? operation.result.substr(1, operation.result.size() - 2) : operation.result);
}

}  // namespace heddle::linearize
