#include "tool/linearize/minimum_test.h"

#include <fmt/core.h>

#include <filesystem>

#include "tool/linearize/picture.h"

namespace heddle::linearize {
namespace {

std::string call_text(std::string_view function, const lin::Step& step) {
  std::string arguments;
  for (const lin::Value value : step.arguments) {
    arguments += arguments.empty() ? "" : ", ";
    arguments += std::to_string(value);
  }
  return fmt::format("  client.{}(\"{}\"{});\n", function, step.method,
                     arguments.empty() ? "" : ", {" + arguments + "}");
}

std::string absolute_source(const Violated& violated) {
  const std::filesystem::path path(violated.history.source);
  if (path.is_absolute()) return path.string();
  // Compilers give the name as it was on the command line, most often from where the program is run now.
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path.string() : whole.lexically_normal().string();
}

std::string listed(const lin::Steps& steps) { return steps.empty() ? "nothing" : lin::text_of(steps); }

}  // namespace

std::string minimum_test_source(const Localized& localized) {
  const lin::Client& client = localized.violated.history.client;
  std::string text = fmt::format(
      "// A minimum test of {}: some schedules of these operations have no sequential explanation.\n"
      "//   heddle c++ -g -O1 minimum_test.cpp -o minimum_test && heddle run -- ./minimum_test\n"
      "#define HEDDLE_LIN_OWN_MAIN\n"
      "#include \"{}\"\n\n"
      "int main() {{\n"
      "  heddle::lin::Client client;\n",
      localized.violated.history.object, absolute_source(localized.violated));
  for (const lin::Step& step : client.first) text += call_text("before", step);
  for (const lin::Steps& steps : client.threads) {
    text += "  client.thread();\n";
    for (const lin::Step& step : steps) text += call_text("call", step);
  }
  for (const lin::Step& step : client.last) text += call_text("after", step);
  return text + "  return heddle_lin_run(client);\n}\n";
}

std::string explain_minimum(const Localized& localized, std::uint64_t budget) {
  const ObservedHistory& history = localized.violated.history;
  const lin::Client& client = history.client;
  const std::size_t concurrent = concurrent_operations(client);
  std::string text = fmt::format("minimum test of {}: {} concurrent operation{}\n", history.object,
                                 concurrent, concurrent == 1 ? "" : "s");
  text += fmt::format("  before    {}\n", listed(client.first));
  for (std::size_t i = 0; i < client.threads.size(); ++i)
    text += fmt::format("  thread {}  {}\n", i + 1, listed(client.threads[i]));
  text += fmt::format("  after     {}\n", listed(client.last));
  text += history_bars(history);
  const std::string revealing = text_of(history, history.violating);
  if (localized.revealed_later) {
    text += fmt::format(
        "The operations of the threads trigger the fault; {} reveals it afterwards, alone: no order of them "
        "explains its result.\n",
        revealing);
  } else {
    text += fmt::format(
        "The fault is revealed as soon as it is triggered: no order of the operations explains {}.\n",
        revealing);
  }
  text +=
      localized.proved
          ? "Without any one of the concurrent operations every history is linearizable: all executions "
            "were explored"
          : fmt::format(
                "Without any one of the concurrent operations every history was linearizable, in up to {} "
                "executions each",
                budget);
  text += fmt::format(" ({} test cases were tried).\n", localized.checks);
  return text;
}

}  // namespace heddle::linearize
