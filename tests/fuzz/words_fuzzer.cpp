// What is said to heddle in words: environment variables, strategies, and what a GoogleTest program lists.
//
// The first byte: O HEDDLE_OPTIONS; R HEDDLE_RECORD; S a strategy; G a list of test cases; C a client of
// <heddle/lin.hpp>.
#include "core/trace/strategy_spec.h"
#include "include/heddle/lin/client.hpp"
#include "runtime/record/options.h"
#include "tests/fuzz/fuzz.h"
#include "tool/cli/gtest_cases.h"
#include "tool/cli/help.h"
#include "tool/cli/run_options.h"

// (tool/cli/help.cpp knows all commands.)
int heddle::cli::show_help(const CLI::App&, HelpWish) { return 0; }

namespace heddle {
namespace {

// Sets HEDDLE_OPTIONS. setenv() would keep every value for ever (glibc), which libFuzzer takes for a leak and
// looks for.
void set_options(const std::string& text) {
  static std::string variable;
  variable = "HEDDLE_OPTIONS=" + text;
  fuzz::require(putenv(variable.data()) == 0);
}

int read_options(const std::string& text) {
  set_options(text);
  cli::RunOptions options;
  const auto ended = cli::parse_run_options({"./program"}, options);
  return fuzz::judged(!ended, "it ends with " + std::to_string(ended.value_or(0)));
}

int read_record(const std::string& text) {
  record::Options options;
  const char* wrong = record::parse_options(text.c_str(), options);
  for (const char* name : {"limit", "share", "instance", "profile"}) static_cast<void>(options.find(name));
  return fuzz::judged(wrong == nullptr, wrong != nullptr ? wrong : "");
}

int read_strategy(const std::string& text) {
  StrategySpec spec;
  TextBuffer<512> error;
  const bool is_one = spec.parse(text.c_str(), error);
  fuzz::require(is_one || error.c_str()[0] != '\0');
  for (const char* key : {"d", "h", "k", "once", "preemptions"}) static_cast<void>(spec.value(key, 1));
  return fuzz::judged(is_one, error.c_str());
}

int read_cases(const std::string& text) {
  const auto some = cli::parse_gtest_list(text, false);
  const auto all = cli::parse_gtest_list(text, true);
  fuzz::require(some.size() <= all.size());
  for (const auto& test : all) fuzz::require(!test.suite.empty() && !test.name.empty());
  return fuzz::judged(!some.empty(), "no cases");
}

int read_client(const std::string& text) {
  const auto client = lin::Client::parse(text);
  // What is written is read back as the same.
  if (client) fuzz::require(lin::Client::parse(client->text())->text() == client->text());
  return fuzz::judged(client.has_value(), "no client");
}

}  // namespace
}  // namespace heddle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  if (size == 0) return 0;
  const std::string text(fuzz::bytes_of(data + 1, size - 1));
  switch (data[0]) {
    case 'O':
      return read_options(text);
    case 'R':
      return read_record(text);
    case 'S':
      return read_strategy(text);
    case 'G':
      return read_cases(text);
    default:
      return read_client(text);
  }
}
