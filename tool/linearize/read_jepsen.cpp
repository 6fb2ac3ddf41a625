// Jepsen's text logs: `INFO  jepsen.util - 0 :invoke :write 3`. A process has one operation at a time; `:ok`
// is its return, `:fail` says that it did not happen, `:info` that nobody knows: the operation stays pending.
#include <fmt/core.h>

#include <cctype>
#include <charconv>
#include <sstream>

#include "tool/linearize/read_history.h"

namespace heddle::linearize {
namespace {

using nlohmann::json;

// nil, integers, booleans, :keywords, "strings", and vectors of these. Nullopt for what is none.
class Edn {
 public:
  explicit Edn(std::string_view text) : text_(text) {}

  std::optional<json> whole() {
    auto value = one();
    skip();
    if (!value || !text_.empty()) return std::nullopt;
    return value;
  }

 private:
  void skip() {
    while (!text_.empty() && (std::isspace(static_cast<unsigned char>(text_[0])) != 0 || text_[0] == ',')) {
      text_.remove_prefix(1);
    }
  }

  std::optional<json> one() {
    skip();
    if (text_.empty()) return std::nullopt;
    if (text_[0] == '[') return vector();
    if (text_[0] == '"') return string();
    const std::string word(text_.substr(0, text_.find_first_of(" \t\r,[]\"")));
    text_.remove_prefix(word.size());
    if (word == "nil") return json();
    if (word == "true" || word == "false") return json(word == "true");
    if (word.size() > 1 && word[0] == ':') return json(word.substr(1));
    Value number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return json(number);
  }

  std::optional<json> vector() {
    json values = json::array();
    text_.remove_prefix(1);
    for (skip(); !text_.empty() && text_[0] != ']'; skip()) {
      auto value = text_[0] == '[' ? std::nullopt : one();  // no vectors in vectors: no operation has them
      if (!value) return std::nullopt;
      values.push_back(std::move(*value));
    }
    if (text_.empty()) return std::nullopt;
    text_.remove_prefix(1);
    return values;
  }

  std::optional<json> string() {
    const std::size_t end = text_.find('"', 1);
    if (end == std::string_view::npos) return std::nullopt;
    json value = std::string(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }

  std::string_view text_;
};

std::string method_name(const std::string& name) {
  if (name == "enqueue") return "enq";
  if (name == "dequeue") return "deq";
  return name;
}

// The arguments of a call: nil is none, a vector is several.
json arguments_of(const json& value) {
  if (value.is_null()) return json::array();
  return value.is_array() ? value : json::array({value});
}

// What `:ok` gives back. Calls that return nothing repeat their argument there, and a truth is in the `:ok`
// itself.
json result_of(const std::string& method, const json& value) {
  if (method == "deq" || method == "pop") return value.is_null() ? json("empty") : value;
  if (method == "read" || method == "scan" || method == "inc") return value;
  if (method == "cas") return true;
  return value.is_boolean() ? value : json(true);
}

}  // namespace

Status read_jepsen_line(HistoryBuilder& builder, std::size_t line, const std::string& text) {
  constexpr std::string_view kLogger = "jepsen.util - ";
  const std::size_t at = text.find(kLogger);
  if (at == std::string::npos) return Done{};
  std::istringstream words(text.substr(at + kLogger.size()));
  std::string process;
  std::string type;
  std::string method;
  std::string rest;
  words >> process >> type >> method;
  std::getline(words, rest);
  if (process == ":nemesis") return Done{};
  std::uint32_t thread = 0;
  const auto [end, error] = std::from_chars(process.data(), process.data() + process.size(), thread);
  if (error != std::errc() || end != process.data() + process.size()) {
    return at_line(line, "there is no process number after \"jepsen.util - \".");
  }
  const auto value = Edn(rest).whole();
  const bool known = type == ":invoke" || type == ":ok" || type == ":fail" || type == ":info";
  // What went wrong may stand in any form after `:fail` and `:info`.
  if (!known || method.size() < 2 || method[0] != ':' || (!value && (type == ":invoke" || type == ":ok"))) {
    return at_line(line, "this is no `PROCESS :invoke|:ok|:fail|:info :METHOD VALUE`; is the file cut off?");
  }
  const std::string name = method_name(method.substr(1));
  if (type == ":invoke") return builder.call(line, process, thread, name, arguments_of(*value));
  if (type == ":fail") return builder.take_away(line, process);
  if (type == ":info") return builder.leave_pending(line, process);
  return builder.give_back(line, process, result_of(name, *value));
}

}  // namespace heddle::linearize
