#include "tool/record/show_access_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "tool/base/atomic_file.h"

namespace heddle {
namespace {

const char* kind_name(ElementKind kind) {
  switch (kind) {
    case ElementKind::kGlobal:
      return "global";
    case ElementKind::kField:
      return "field";
    case ElementKind::kAllocation:
      return "memory";
    case ElementKind::kSynchronisation:
      return "synchronisation";
    case ElementKind::kBlock:
      return "block";
  }
  return "?";
}

const char* outcome_name(RunOutcome outcome) {
  return outcome == RunOutcome::kPassed ? "passed" : outcome == RunOutcome::kFailed ? "failed" : "unknown";
}

SharedElement describe(std::uint64_t id, std::span<const SharedElement> elements) {
  const auto at =
      std::lower_bound(elements.begin(), elements.end(), id,
                       [](const SharedElement& e, std::uint64_t wanted) { return e.id < wanted; });
  if (at != elements.end() && at->id == id) return *at;
  SharedElement unknown;
  unknown.id = id;
  unknown.name = fmt::format("{:016x}", id);
  return unknown;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::uint64_t accesses_of(const AccessVector& vector) {
  std::uint64_t sum = 0;
  for (const ThreadRun& run : vector.runs) sum += run.accesses;
  return sum;
}

}  // namespace

std::string access_log_text(const AccessLog& log, std::span<const SharedElement> elements) {
  std::uint64_t accesses = 0;
  for (const AccessVector& vector : log.vectors) accesses += accesses_of(vector);
  std::string out =
      fmt::format("{}: {}{}{}, {} of {} {}, {} threads, {} accesses{}\n", log.path, outcome_name(log.outcome),
                  log.failure_place.empty() ? "" : " at ", log.failure_place, log.vectors.size(),
                  log.elements_in_all, log.scheme == AccessScheme::kBlocks ? "blocks" : "elements",
                  log.threads.size(), accesses, log.incomplete ? ", incomplete" : "");
  constexpr std::size_t kShownRuns = 16;
  for (const AccessVector& vector : log.vectors) {
    const SharedElement element = describe(vector.element, elements);
    out += fmt::format("  {} {}{}{}:", kind_name(element.kind), element.name,
                       element.place.empty() ? "" : ", ", element.place);
    for (std::size_t i = 0; i < vector.runs.size() && i < kShownRuns; ++i) {
      const ThreadRun& run = vector.runs[i];
      out += fmt::format(" {}{}", run.with_last ? "| " : "", log.threads[run.thread]);
      if (run.accesses > 1) out += fmt::format("×{}", run.accesses);
    }
    if (vector.runs.size() > kShownRuns) out += fmt::format(" … ({} runs)", vector.runs.size());
    out += '\n';
  }
  return out;
}

std::string access_log_json(const AccessLog& log, std::span<const SharedElement> elements) {
  std::string out = fmt::format(
      "{{\"build\": \"{:016x}\", \"run\": \"{:016x}\", \"scheme\": \"{}\", \"outcome\": \"{}\", "
      "\"failure_place\": {}, "
      "\"elements_in_all\": {}, \"incomplete\": {}, \"threads\": [",
      log.build, log.run, log.scheme == AccessScheme::kBlocks ? "blocks" : "vars", outcome_name(log.outcome),
      quoted(log.failure_place), log.elements_in_all, log.incomplete);
  const char* comma = "";
  for (const std::string& name : log.threads) {
    out += fmt::format("{}{}", comma, quoted(name));
    comma = ", ";
  }
  out += "],\n \"vectors\": [";
  comma = "\n  ";
  for (const AccessVector& vector : log.vectors) {
    const SharedElement element = describe(vector.element, elements);
    out += fmt::format(
        "{}{{\"element\": \"{:016x}\", \"name\": {}, \"kind\": \"{}\", \"place\": {}, \"runs\": [", comma,
        element.id, quoted(element.name), kind_name(element.kind), quoted(element.place));
    const char* run_comma = "";
    for (const ThreadRun& run : vector.runs) {
      out += fmt::format("{}{{\"thread\": {}, \"accesses\": {}, \"with_last\": {}}}", run_comma, run.thread,
                         run.accesses, run.with_last);
      run_comma = ", ";
    }
    out += "]}";
    comma = ",\n  ";
  }
  return out + "]}\n";
}

Status add_to_profile(const std::string& profile, std::span<const SharedElement> shared) {
  std::map<std::uint64_t, std::string> lines;
  if (std::ifstream old(profile); old) {
    for (std::string line; std::getline(old, line);) {
      if (line.size() < 16 || line.find_first_not_of("0123456789abcdef") < 16) continue;
      lines[std::stoull(line.substr(0, 16), nullptr, 16)] = line;
    }
  }
  for (const SharedElement& element : shared)
    lines[element.id] =
        fmt::format("{:016x} {} {} {}", element.id, kind_name(element.kind), element.name, element.place);
  std::string text =
      "# Elements that runs have seen shared (heddle record --profile). Other builds may use it, too.\n";
  for (const auto& [id, line] : lines) text += line + "\n";
  return write_file_atomically(profile, text);
}

}  // namespace heddle
