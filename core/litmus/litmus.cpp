#include "core/litmus/litmus.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace heddle::litmus {
namespace {

using Words = std::vector<std::string>;

constexpr int kMostLocations = 64;

Words split(const std::string& text) {
  std::istringstream in(text);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

class Parser {
 public:
  explicit Parser(const std::string& path)
      : path_(path), shape_(std::filesystem::path(path).stem().string()) {}

  std::vector<LitmusTest> parse_file() {
    std::ifstream in(path_);
    if (!in) fail("cannot be read");
    return parse_tests(in);
  }

  std::vector<LitmusTest> parse_tests(std::istream& in) {
    parse_lines(in);
    finish_test();
    return std::move(tests_);
  }

  Program parse_program(const std::string& text) {
    tests_.emplace_back();
    std::istringstream in(text);
    parse_lines(in);
    if (tests_.size() != 1 || program().threads.empty() || !conditions_.empty())
      fail("expected the init and thread lines of one program");
    return std::move(program());
  }

 private:
  void parse_lines(std::istream& in) {
    for (std::string text; std::getline(in, text);) {
      ++line_;
      const std::string content = text.substr(0, text.find('#'));
      const Words words = split(content);
      if (!words.empty()) parse_line(words, content);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(path_ + ":" + std::to_string(line_) + ": " + what);
  }

  void parse_line(const Words& words, const std::string& content) {
    const std::string rest = content.substr(content.find(words[0]) + words[0].size());
    if (words[0] == "test") {
      finish_test();
      if (words.size() != 2) fail("expected: test NAME");
      tests_.emplace_back();
      tests_.back().program.name = words[1];
      tests_.back().shape = shape_;
      return;
    }
    if (tests_.empty()) fail("expected: test NAME");
    if (words[0] == "init") {
      for (std::size_t i = 1; i < words.size(); ++i) {
        const auto [name, value] = assignment(words[i]);
        program().initial[static_cast<std::size_t>(location(name))] = value;
      }
    } else if (words[0] == "thread") {
      parse_thread(rest);
    } else if (words[0] == "allowed" || words[0] == "forbidden" || words[0] == "limit") {
      conditions_.emplace_back(words[0], rest);
    } else {
      fail("unknown word " + words[0]);
    }
  }

  Program& program() { return tests_.back().program; }

  int location(const std::string& name) {
    int index = -1;
    if (name == "x" || name == "y" || name == "z") index = name[0] - 'x';
    if (name.size() > 1 && name[0] == 'v') index = number(name.substr(1));
    if (index < 0 || index >= kMostLocations) fail("not a location: " + name);
    if (static_cast<std::size_t>(index) >= program().initial.size()) {
      program().initial.resize(static_cast<std::size_t>(index) + 1);
    }
    return index;
  }

  int number(const std::string& word) const {
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) fail("not a number: " + word);
    return value;
  }

  Order order(const std::string& name) const {
    for (int i = 0; i <= static_cast<int>(Order::kSeqCst); ++i) {
      if (name == to_string(static_cast<Order>(i))) return static_cast<Order>(i);
    }
    fail("not a memory order: " + name);
  }

  std::pair<std::string, int> assignment(const std::string& word) const {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals + 1 == word.size()) fail("expected NAME=VALUE: " + word);
    return {word.substr(0, equals), number(word.substr(equals + 1))};
  }

  void parse_thread(const std::string& text) {
    auto& thread = program().threads.emplace_back();
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ';');) thread.push_back(parse_op(split(part)));
  }

  Op parse_op(Words words) {
    Op op;
    if (words.size() > 2 && words[1] == "=") {
      op.register_name = words[0];
      words.erase(words.begin(), words.begin() + 2);
    }
    static const std::map<std::string, std::pair<OpKind, std::size_t>> kOps = {
        {"load", {OpKind::kLoad, 3}},   {"store", {OpKind::kStore, 4}},
        {"add", {OpKind::kAdd, 4}},     {"exchange", {OpKind::kExchange, 4}},
        {"cas", {OpKind::kCas, 6}},     {"weak-cas", {OpKind::kWeakCas, 6}},
        {"fence", {OpKind::kFence, 2}},
    };
    const auto found = words.empty() ? kOps.end() : kOps.find(words[0]);
    if (found == kOps.end() || words.size() != found->second.second) fail("not an operation");
    op.kind = found->second.first;
    op.order = order(op.is_cas() ? words[4] : words.back());
    if (op.kind != OpKind::kFence) op.location = location(words[1]);
    if (op.is_cas()) {
      op.expected = number(words[2]);
      op.value = number(words[3]);
      op.failure = order(words[5]);
    } else if (words.size() == 4) {
      op.value = number(words[2]);
    }
    return op;
  }

  // Conditions are resolved when all threads are known.
  void finish_test() {
    if (tests_.empty()) return;
    LitmusTest& test = tests_.back();
    if (test.program.threads.empty()) fail("a test without threads: " + test.program.name);
    if (conditions_.empty()) fail("a test without outcomes: " + test.program.name);
    const OutcomeLayout layout(test.program);
    std::map<std::string, int> positions;
    for (std::size_t t = 0; t < test.program.threads.size(); ++t) {
      for (std::size_t i = 0; i < test.program.threads[t].size(); ++i) {
        const Op& op = test.program.threads[t][i];
        if (op.register_name.empty()) continue;
        if (!positions.emplace(op.register_name, layout.position[t][i]).second) fail("register used twice");
        if (op.is_cas()) positions[op.register_name + ".ok"] = layout.position[t][i] + 1;
      }
    }
    for (std::size_t x = 0; x < test.program.initial.size(); ++x) {
      positions[location_name(static_cast<int>(x))] = layout.finals + static_cast<int>(x);
    }
    for (const auto& [verdict, text] : conditions_) {
      Condition condition = parse_condition(text, positions);
      (verdict == "allowed"     ? test.allowed
       : verdict == "forbidden" ? test.forbidden
                                : test.limits)
          .push_back(std::move(condition));
    }
    conditions_.clear();
  }

  Condition parse_condition(const std::string& text, const std::map<std::string, int>& positions) {
    Condition condition;
    const std::size_t colon = text.find(':');
    condition.text = text.substr(0, colon);
    if (colon != std::string::npos) {
      const std::size_t reason = text.find_first_not_of(" \t", colon + 1);
      if (reason == std::string::npos) fail("no reason after the colon");
      condition.reason = text.substr(reason);
    }
    for (const std::string& word : split(condition.text)) {
      const auto [name, value] = assignment(word);
      const auto position = positions.find(name);
      if (position == positions.end()) fail("no register or location " + name + " in " + program().name);
      condition.values.emplace_back(position->second, value);
    }
    if (condition.values.empty()) fail("an empty outcome");
    return condition;
  }

  std::string path_;
  std::string shape_;
  int line_ = 0;
  std::vector<LitmusTest> tests_;
  std::vector<std::pair<std::string, std::string>> conditions_;
};

}  // namespace

std::vector<LitmusTest> read_litmus_file(const std::string& path) { return Parser(path).parse_file(); }

std::vector<LitmusTest> parse_tests(const std::string& text) {
  std::istringstream in(text);
  return Parser("text").parse_tests(in);
}

Program parse_program(const std::string& text) { return Parser("program").parse_program(text); }

std::vector<LitmusTest> read_litmus_folder(const std::string& folder) {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".litmus") paths.insert(entry.path().string());
  }
  std::vector<LitmusTest> tests;
  std::set<std::string> names;
  for (const std::string& path : paths) {
    for (LitmusTest& test : read_litmus_file(path)) {
      if (!names.insert(test.program.name).second)
        throw std::runtime_error("two tests named " + test.program.name);
      tests.push_back(std::move(test));
    }
  }
  return tests;
}

bool shows(const Outcomes& outcomes, const Condition& condition) {
  return std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return condition.holds(o); });
}

}  // namespace heddle::litmus
