// heddle lin check: a recorded history against a specification.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "tool/cli/lin_commands.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/linearize/check_history.h"
#include "tool/linearize/explain.h"
#include "tool/linearize/read_history.h"
#include "tool/report/escape.h"

namespace heddle::cli {
namespace {

struct LinCheck {
  std::string history;
  std::string spec;
  std::string memory_limit = "1G";
  bool json = false;
  bool witness = false;
};

int exit_code(linearize::Verdict verdict) {
  switch (verdict) {
    case linearize::Verdict::kLinearizable:
      return static_cast<int>(ExitCode::kNoBug);
    case linearize::Verdict::kNotLinearizable:
      return static_cast<int>(ExitCode::kBug);
    case linearize::Verdict::kUnknown:
      break;
  }
  return static_cast<int>(ExitCode::kInconclusive);
}

int lin_check(const LinCheck& wish) {
  const linearize::Object* object = linearize::find_object(wish.spec);
  if (object == nullptr) {
    return complain(
        {"There is no specification '" + wish.spec + "'; there are " + linearize::all_objects() + "."});
  }
  const auto limit = parse_size(wish.memory_limit);
  if (!limit) return complain(limit.error());
  const auto named = wish.history == "-" ? linearize::read_history(std::cin, *object)
                                         : linearize::read_history_file(wish.history, *object);
  if (!named) return complain(named.error());
  const linearize::Answer answer = linearize::check_history(*named, {.memory_limit = *limit});
  fmt::print("{}", wish.json ? report::json_for_terminals(linearize::explain_json(*named, answer))
                             : report::escaped_lines(linearize::explain(*named, answer, wish.witness)));
  return exit_code(answer.verdict);
}

}  // namespace

std::function<int()> add_lin_check(CLI::App& lin) {
  CLI::App* check = lin.add_subcommand("check", "judge a recorded history");
  const auto wish = std::make_shared<LinCheck>();
  check->add_option("history", wish->history, "JSON lines, or a Jepsen text log; - is standard input")
      ->required()
      ->type_name("FILE");
  check->add_option("--spec", wish->spec, linearize::all_objects())->required()->type_name("SPEC");
  check->add_flag("--witness", wish->witness, "print the linearization that was found");
  check->add_flag("--json", wish->json, "as JSON");
  check
      ->add_option("--memory-limit", wish->memory_limit,
                   "for the search; beyond it the answer is \"unknown\"")
      ->type_name("SIZE")
      ->check(size_of_memory());
  check->footer(
      "examples:\n  heddle lin check history.jsonl --spec queue\n"
      "exit codes: 0 linearizable, 66 not linearizable, 1 unknown, 2 bad file");
  return [wish] { return lin_check(*wish); };
}

}  // namespace heddle::cli
