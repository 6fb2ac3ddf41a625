// A client of an object, which is CGVT's test case (Ps, Pc, Pr): operations that are done before, by each of
// several threads at the same time, and after them. As text:
//
//   add(7); add(10) / add(8) | add(9); remove(7) / contains(8)
#pragma once

#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/lin/reply.hpp"

namespace heddle::lin {

struct Step {
  std::string method;
  std::vector<Value> arguments = {};
};

using Steps = std::vector<Step>;

inline std::string text_of(const Step& step) {
  std::string text = step.method;
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    text += (i == 0 ? "(" : ", ") + std::to_string(step.arguments[i]);
  }
  return step.arguments.empty() ? text : text + ")";
}

inline std::string text_of(const Steps& steps) {
  std::string text;
  for (const Step& step : steps) text += (text.empty() ? "" : "; ") + text_of(step);
  return text;
}

class Client {
 public:
  // The members of a test that is written by hand.
  Client& before(std::string method, std::initializer_list<Value> arguments = {}) {
    first.push_back({std::move(method), arguments});
    return *this;
  }
  Client& thread() {
    threads.emplace_back();
    return *this;
  }
  // REQUIRES: thread() was called.
  Client& call(std::string method, std::initializer_list<Value> arguments = {}) {
    threads.back().push_back({std::move(method), arguments});
    return *this;
  }
  Client& after(std::string method, std::initializer_list<Value> arguments = {}) {
    last.push_back({std::move(method), arguments});
    return *this;
  }

  std::string text() const {
    std::string text = text_of(first) + " /";
    for (std::size_t i = 0; i < threads.size(); ++i) text += (i == 0 ? " " : " | ") + text_of(threads[i]);
    return text + " / " + text_of(last);
  }

  // Nullopt where the text is none.
  static std::optional<Client> parse(std::string_view text) {
    Client client;
    std::size_t section = 0;
    client.threads.emplace_back();
    while (true) {
      skip_spaces(text);
      if (text.empty()) break;
      const char c = text.front();
      if (c == '/' || c == '|' || c == ';') {
        if (c == '|' && section != 1) return std::nullopt;
        if (c == '|') client.threads.emplace_back();
        if (c == '/' && ++section > 2) return std::nullopt;
        text.remove_prefix(1);
        continue;
      }
      std::optional<Step> step = parse_step(text);
      if (!step) return std::nullopt;
      (section == 0   ? client.first
       : section == 1 ? client.threads.back()
                      : client.last)
          .push_back(std::move(*step));
    }
    if (section != 2) return std::nullopt;
    return client;
  }

  Steps first;                 // Ps
  std::vector<Steps> threads;  // Pc
  Steps last;                  // Pr

 private:
  static void skip_spaces(std::string_view& text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
      text.remove_prefix(1);
  }

  static std::optional<Step> parse_step(std::string_view& text) {
    std::size_t length = 0;
    while (length < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[length])) != 0 || text[length] == '_'))
      ++length;
    if (length == 0) return std::nullopt;
    Step step{std::string(text.substr(0, length))};
    text.remove_prefix(length);
    skip_spaces(text);
    if (text.empty() || text.front() != '(') return step;
    do {
      text.remove_prefix(1);
      skip_spaces(text);
      const std::optional<Value> value = parse_number(text);
      if (!value) return std::nullopt;
      step.arguments.push_back(*value);
      skip_spaces(text);
    } while (!text.empty() && text.front() == ',');
    if (text.empty() || text.front() != ')') return std::nullopt;
    text.remove_prefix(1);
    return step;
  }

  static std::optional<Value> parse_number(std::string_view& text) {
    const bool negative = !text.empty() && text.front() == '-';
    if (negative) text.remove_prefix(1);
    std::size_t digits = 0;
    unsigned long long number = 0;
    for (; digits < text.size() && digits < 19 && std::isdigit(static_cast<unsigned char>(text[digits])) != 0;
         ++digits)
      number = number * 10 + static_cast<unsigned long long>(text[digits] - '0');
    if (digits == 0) return std::nullopt;
    text.remove_prefix(digits);
    return negative ? -static_cast<Value>(number) : static_cast<Value>(number);
  }
};

}  // namespace heddle::lin
