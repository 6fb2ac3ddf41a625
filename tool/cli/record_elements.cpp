#include "tool/cli/record_elements.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "compiler/install_layout.h"
#include "core/trace/element_plan.h"
#include "tool/artifact/artifact.h"
#include "tool/artifact/container.h"
#include "tool/cli/element_profile.h"
#include "tool/cli/terminal.h"
#include "tool/record/access_log.h"
#include "tool/record/element_orders.h"
#include "tool/record/log_reader.h"
#include "tool/record/show_access_log.h"
#include "tool/report/escape.h"

namespace heddle::cli {
namespace {

Result<run::Target> target_of(const std::vector<std::string>& words) {
  const auto layout = compiler::find_layout();
  if (!layout) return layout.error();
  std::vector<std::string> notes;
  return run::resolve_target(words, layout->library, notes);
}

std::uint64_t accesses_in(const AccessLog& log) {
  std::uint64_t sum = 0;
  for (const AccessVector& vector : log.vectors) {
    for (const ThreadRun& run : vector.runs) sum += run.accesses;
  }
  return sum;
}

// The elements whose accesses did not all come, with whose turn it was.
void show_where_it_got_stuck(const run::Target& target, const AccessLog& log,
                             const std::vector<OrderVector>& orders) {
  const auto elements = read_elements(target.path, log.scheme);
  if (!elements) return;
  for (const OrderVector& order : orders) {
    const auto vector = std::ranges::find(log.vectors, order.element, &AccessVector::element);
    const auto element = std::ranges::find(*elements, order.element, &SharedElement::id);
    if (vector == log.vectors.end() || element == elements->end()) continue;
    std::uint64_t before = 0;
    for (const ThreadRun& run : vector->runs) {
      before += run.accesses;
      if (before <= order.reached) continue;
      fmt::print("  {}: after {} accesses it was {}'s turn\n", report::escaped(element->name), order.reached,
                 report::escaped(log.threads[run.thread]));
      break;
    }
  }
}

}  // namespace

bool is_access_log(const std::string& path) {
  char start[8] = {};
  if (std::ifstream file(path, std::ios::binary); !file.read(start, sizeof start)) return false;
  if (std::string_view(start, sizeof start) == kArtifactMagic) return true;
  const auto raw = read_log(path);
  return raw && raw->header.kind != record::LogKind::kPath;
}

int show_access_log(const std::string& path, const std::string& program, bool json) {
  const auto log = read_access_log(path);
  if (!log) return complain(log.error());
  std::string named = program;
  if (const auto raw = read_log(path); raw && named.empty()) named = raw->program();
  std::vector<SharedElement> elements;
  if (!named.empty()) {
    if (auto known = read_elements(named, log->scheme)) elements = std::move(*known);
  }
  fmt::print("{}", json ? report::json_for_terminals(access_log_json(*log, elements))
                        : report::escaped_lines(access_log_text(*log, elements)));
  return 0;
}

int make_element_profile(const std::vector<std::string>& words, std::uint32_t executions, bool lean) {
  const auto target = target_of(words);
  if (!target) return complain(target.error());
  const std::string profile = target->path + ".spes";
  const auto done = profile_elements(*target, RunSpec{}, executions, lean, profile);
  if (!done) return complain(done.error());
  fmt::print("{}: {} of {} elements were shared in {} execution{}\n", report::escaped(profile), done->shared,
             done->in_all, executions, executions == 1 ? "" : "s");
  if (done->left_out != 0)
    fmt::print("{} of them are left out (--all: not): a lock protects them, and its order is theirs\n",
               done->left_out);
  return 0;
}

int follow_access_log(const std::string& path, const std::vector<std::string>& words,
                      const std::string& output) {
  const auto log = read_access_log(path);
  if (!log) return complain(log.error());
  const auto target = target_of(words);
  if (!target) return complain(target.error());
  RunSpec spec;
  spec.element_points = element_points::kAccesses;
  spec.model = ModelKind::kSc;
  spec.max_spurious = 0;
  const std::vector<std::byte> orders = make_orders(log->vectors, log->threads);
  run::SingleOptions options;
  options.orders = orders;
  auto run = run::run_single(*target, spec, options);
  if (!run) return complain(run.error());
  std::uint64_t reached = 0;
  for (const OrderVector& order : run->orders) reached += order.reached;
  const bool infeasible = run->result.ending == Ending::kInfeasible;
  fmt::print("{} of {} accesses came in the order of the log{}\n", reached, accesses_in(*log),
             infeasible ? "; then nobody could go on" : "");
  if (infeasible) {
    show_where_it_got_stuck(*target, *log, run->orders);
    return static_cast<int>(ExitCode::kInconclusive);
  }
  if (run->result.signature == 0) return static_cast<int>(ExitCode::kNoBug);
  if (!output.empty()) {
    if (const auto written = write_artifact(output, run->trace); !written) return complain(written.error());
  }
  return static_cast<int>(ExitCode::kBug);
}

Status collect_access_log(const std::string& path, bool quiet) {
  const auto log = read_access_log(path);
  if (!log) return log.error();
  if (const auto written = write_access_log(path, *log); !written) return written.error();
  if (!quiet)
    fmt::print(stderr, "heddle: recorded {}: {} of {} elements, {} threads{}\n", report::escaped(path),
               log->vectors.size(), log->elements_in_all, log->threads.size(),
               log->incomplete ? "; incomplete" : "");
  return Done{};
}

}  // namespace heddle::cli
