#include "tool/linearize/read_history.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

namespace heddle::linearize {
namespace {

using nlohmann::json;

bool is_id(const json& value) { return value.is_number_integer() || value.is_string(); }

std::string id_text(const json& value) { return value.dump(-1, ' ', true, json::error_handler_t::replace); }

Status read_call(HistoryBuilder& builder, std::size_t line, const json& event) {
  const auto method = event.find("method");
  if (method == event.end() || !method->is_string()) {
    return at_line(line, "an \"invoke\" needs a \"method\", a string.");
  }
  const auto thread = event.find("thread");
  std::uint32_t number = 0;
  if (thread != event.end()) {
    if (!thread->is_number_unsigned() ||
        thread->get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
      return at_line(line, "\"thread\" is a number from 0.");
    }
    number = thread->get<std::uint32_t>();
  }
  const auto arguments = event.find("args");
  if (arguments != event.end() && !arguments->is_array()) return at_line(line, "\"args\" is an array.");
  return builder.call(line, id_text(event["op"]), number, method->get<std::string>(),
                      arguments == event.end() ? json::array() : *arguments);
}

// Values are written out again by recursion, and a line may come from anywhere.
bool is_nested_deeply(const std::string& text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

Status read_json_line(HistoryBuilder& builder, std::size_t line, const std::string& text) {
  if (is_nested_deeply(text)) return at_line(line, "no value of an operation is nested so deeply.");
  const json event = json::parse(text, nullptr, false);
  if (event.is_discarded()) return at_line(line, "this is no JSON object; is the file cut off?");
  if (!event.is_object() || !event.contains("op") || !is_id(event["op"])) {
    return at_line(line, "an event is an object with \"type\" and \"op\", a number or a string.");
  }
  const json type = event.value("type", json());
  if (type == "invoke") return read_call(builder, line, event);
  if (type == "return") return builder.give_back(line, id_text(event["op"]), event.value("result", json()));
  return at_line(line, "\"type\" is \"invoke\" or \"return\".");
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r") == std::string::npos; }

}  // namespace

Result<NamedHistory> read_history(std::istream& input, Object object) {
  HistoryBuilder builder(object);
  std::string text;
  bool is_json = false;
  std::size_t first = 0;  // line that is not blank
  for (std::size_t line = 1; std::getline(input, text); ++line) {
    if (is_blank(text)) continue;
    if (first == 0) {
      first = line;
      is_json = text[text.find_first_not_of(" \t")] == '{';
      if (is_json) {
        builder.forbid_reuse();
      } else {
        builder.start_from(json());  // a Jepsen register is nil at first
      }
    }
    const Status status =
        is_json ? read_json_line(builder, line, text) : read_jepsen_line(builder, line, text);
    if (!status) return status.error();
  }
  if (input.bad()) return Error{"the file cannot be read."};
  if (builder.events() == 0) {
    const std::string wanted =
        "A history has JSON lines like "
        R"({"type":"invoke","op":1,"thread":0,"method":"enq","args":[3]} or lines of a Jepsen log.)";
    if (first == 0) return Error{"there is no event in it. " + wanted};
    return at_line(first, "this is no event, and neither is any line after it. " + wanted);
  }
  return builder.build();
}

Result<NamedHistory> read_history_file(const std::string& path, Object object) {
  errno = 0;
  std::ifstream file(path);
  if (!file) return Error{fmt::format("{} cannot be opened: {}.", path, std::strerror(errno))};
  auto history = read_history(file, object);
  if (!history) return Error{fmt::format("{}: {}", path, history.error().message)};
  return history;
}

}  // namespace heddle::linearize
