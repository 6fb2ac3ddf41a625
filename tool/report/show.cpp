#include "tool/report/show.h"

#include <fmt/format.h>

#include <array>

#include "tool/program/environment.h"
#include "tool/report/columns.h"
#include "tool/report/escape.h"
#include "tool/report/minimised.h"
#include "tool/report/places.h"
#include "tool/report/shell_word.h"
#include "tool/report/style.h"
#include "tool/report/text.h"

namespace heddle::report {
namespace {

std::string command_line(const ProgramIdentity& program) {
  std::string text;
  for (const std::string& argument : program.argv) text += (text.empty() ? "" : " ") + shell_word(argument);
  return text.empty() ? escaped(program.path) : text;
}

std::string note_on(const std::string& variable) {
  const std::string_view reason = steering_reason(variable);
  return reason.empty() ? "" : fmt::format("   (decides {}: applied with --trust-artifact only)", reason);
}

std::string choices_text(const Trace& trace) {
  constexpr std::array<const char*, kChoiceKinds> kKinds = {
      "thread", "reads-from", "wake-up", "timeout", "spurious", "block reuse", "value", "overtakes"};
  std::array<std::uint64_t, kChoiceKinds> counts{};
  for (const Choice c : trace.choices) {
    if (static_cast<std::size_t>(c.kind()) < kChoiceKinds) ++counts[static_cast<std::size_t>(c.kind())];
  }
  std::string text = grouped(trace.choices.size());
  std::string kinds;
  for (std::size_t i = 0; i < kChoiceKinds; ++i) {
    if (counts[i] != 0)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", grouped(counts[i]), kKinds[i]);
  }
  return kinds.empty() ? text : fmt::format("{} ({})", text, kinds);
}

std::string ending_text(const TraceResult& result) {
  std::string text = ending_name(result.ending);
  if (result.ending == Ending::kExited) text += fmt::format(" with status {}", result.status);
  if (result.ending == Ending::kSignalled) text += " by " + signal_name(result.status);
  if (!result.message.empty()) text += ": " + escaped(result.message);
  return text;
}

}  // namespace

std::string show_text(const Trace& trace, const ShowOptions& options) {
  const Style style(options.color);
  std::string out;
  const auto field = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("{} {}\n", style.bold(padded(std::string(name) + ":", 12)), value);
  };
  field("program", command_line(trace.program));
  field("binary", escaped(trace.program.path));
  field("build id", escaped(trace.program.build_id));
  field("directory", escaped(trace.program.cwd));
  for (const auto& [name, value] : trace.program.environment)
    field("environment", escaped(name) + "=" + escaped(value) + note_on(name));
  for (const std::string& name : trace.program.unset) field("environment", escaped(name) + " is not set");
  field("heddle", escaped(trace.tool_version));
  field("strategy", escaped(trace.spec.strategy));
  field("seed", std::to_string(trace.spec.seed));
  field("execution", grouped(trace.execution));
  field("model", model_name(trace.spec.model));
  field("ending", ending_text(trace.result));
  field("steps", grouped(trace.result.steps));
  field("threads", grouped(trace.result.threads));
  field("choices", choices_text(trace));
  const bool all_kept = trace.total_events == trace.events.size();
  field("events",
        all_kept ? grouped(trace.total_events)
                 : fmt::format("{} of {} kept", grouped(trace.events.size()), grouped(trace.total_events)));
  for (const std::string& outcome : trace.result.outcomes) field("outcome", escaped(outcome));
  for (const TraceModule& module : trace.modules) {
    field("module",
          fmt::format("{:#x} {}{}", module.base, escaped(module.path),
                      module.build_id.empty() ? "" : fmt::format(" ({})", escaped(module.build_id))));
  }
  out += "\n";
  for (std::size_t i = 0; i < trace.findings.size(); ++i) {
    TextOptions text;
    text.color = options.color;
    text.width = options.width;
    text.detail = Detail::kAll;
    text.stacks_only = true;  // the table below is of the whole execution
    if (i + 1 == trace.findings.size()) text.artifact = options.path;
    out += text_report(trace, trace.findings[i], text) + "\n";
  }
  out += minimised_text(trace);
  ColumnOptions table;
  table.width = options.width;
  table.color = options.color;
  if (options.all_events) table.max_rows = trace.events.size();
  out += columns(trace, table);
  if (!trace.output.empty()) {
    out += "\n" + style.bold(trace.output_cut ? "output (cut):" : "output:") + "\n" +
           escaped_lines(trace.output);
    if (out.back() != '\n') out += '\n';
  }
  return out;
}

}  // namespace heddle::report
