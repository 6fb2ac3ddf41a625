#include "tool/linearize/explain.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/linearize/reasons.h"

namespace heddle::linearize {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 40;  // operations of a prefix; the last ones count

std::string reply_text(const NamedHistory& named, const MethodInfo& method, const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNothing:
      return "";
    case Reply::Kind::kValue:
      return " → " + named.words.text_of(reply.value);
    case Reply::Kind::kTruth:
      return reply.value != 0 ? " → true" : " → false";
    case Reply::Kind::kEmpty:
      return method.reply == ReplyShape::kValueOrNull ? " → null" : " → empty";
    case Reply::Kind::kMany:
      break;
  }
  std::string text;
  for (const Value value : reply.many) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return " → [" + text + "]";
}

// enq(3), deq → 3, deq → ? for one that is pending in the first `events` events.
std::string operation_text(const NamedHistory& named, OperationIndex index, std::size_t events = kNever) {
  const auto& operation = named.history[index];
  const MethodInfo& method = method_of(named.object, operation.input.name);
  std::string text(method.text);
  if (method.arguments > 0) {
    text += "(" + named.words.text_of(operation.input.first);
    if (method.arguments > 1) text += ", " + named.words.text_of(operation.input.second);
    text += ")";
  }
  if (!operation.output || operation.returned >= events) return text + " → ?";
  return text + reply_text(named, method, *operation.output);
}

std::string named_text(const NamedHistory& named, OperationIndex index, std::size_t events) {
  return fmt::format("{} (operation {}, thread {}, line {})", operation_text(named, index, events),
                     named.names[index], named.history[index].thread, named.lines[index]);
}

std::string_view method_name(Method method) {
  switch (method) {
    case Method::kSearch:
      return "search";
    case Method::kQueueOrder:
      return "queue-order";
    case Method::kStackNesting:
      return "stack-nesting";
    case Method::kRegisterZones:
      return "register-zones";
    case Method::kCounterOrder:
      return "counter-order";
  }
  return "";
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kLinearizable:
      return "linearizable";
    case Verdict::kNotLinearizable:
      return "not linearizable";
    case Verdict::kUnknown:
      return "unknown";
  }
  return "";
}

std::string explain_violation(const NamedHistory& named, const Violation& violation) {
  std::string text =
      fmt::format("{} cannot be placed.\n{}\n", named_text(named, violation.operation, violation.prefix),
                  reason(violation.pattern));
  if (violation.pattern != Pattern::kNoPlace) {
    for (const OperationIndex index : violation.operations) {
      text += fmt::format("  {}\n", named_text(named, index, violation.prefix));
    }
  }
  text +=
      fmt::format("{} of {} events, up to this return, are not linearizable{}\n", violation.prefix,
                  named.history.events().size(),
                  violation.shortest ? "; all before it are:" : " (a shorter prefix may not be, either):");
  std::vector<OperationIndex> inside;
  for (OperationIndex i = 0; i < named.history.operations().size(); ++i) {
    if (named.history[i].called < violation.prefix) inside.push_back(i);
  }
  const std::size_t left_out = inside.size() > kShown ? inside.size() - kShown : 0;
  if (left_out > 0) text += fmt::format("  … {} operations before\n", left_out);
  for (std::size_t i = left_out; i < inside.size(); ++i) {
    const auto& operation = named.history[inside[i]];
    const bool ended = operation.returned < violation.prefix;
    text += fmt::format("  [{:>6}, {:>6}]  thread {}  {}\n", operation.called,
                        ended ? std::to_string(operation.returned) : "…", operation.thread,
                        operation_text(named, inside[i], violation.prefix));
  }
  return text;
}

}  // namespace

std::string explain(const NamedHistory& named, const Answer& answer, bool witness) {
  const std::size_t operations = named.history.operations().size();
  std::string text = fmt::format("{}: {} as a {}, {} operations\n", verdict_name(answer.verdict),
                                 answer.verdict == Verdict::kUnknown ? "not decided" : "judged",
                                 name_of(named.object), operations);
  if (answer.verdict == Verdict::kUnknown) {
    return text +
           fmt::format(
               "The search stopped at the memory limit after {} configurations. --memory-limit allows it "
               "more; distinct values allow better ways than search.\n",
               answer.configurations);
  }
  if (answer.verdict == Verdict::kNotLinearizable) return text + explain_violation(named, answer.violation);
  if (!witness) return text;
  text += "a linearization:\n";
  for (const OperationIndex index : answer.order) {
    text += fmt::format("  {}\n", named_text(named, index, kNever));
  }
  return text;
}

std::string explain_json(const NamedHistory& named, const Answer& answer) {
  const auto ids = [&](const std::vector<OperationIndex>& indices) {
    json list = json::array();
    for (const OperationIndex index : indices) list.push_back(json::parse(named.names[index]));
    return list;
  };
  json result = {{"object", name_of(named.object)},
                 {"verdict", verdict_name(answer.verdict)},
                 {"method", method_name(answer.method)},
                 {"operations", named.history.operations().size()}};
  if (answer.verdict == Verdict::kLinearizable) result["linearization"] = ids(answer.order);
  if (answer.verdict == Verdict::kNotLinearizable) {
    const Violation& violation = answer.violation;
    result["violation"] = {
        {"pattern", pattern_name(violation.pattern)}, {"reason", reason(violation.pattern)},
        {"operation", ids({violation.operation})[0]}, {"operations", ids(violation.operations)},
        {"prefix_events", violation.prefix},          {"shortest", violation.shortest}};
  }
  return result.dump(2) + "\n";
}

}  // namespace heddle::linearize
