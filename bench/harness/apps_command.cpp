// heddle-bench apps: applications under heddle, ThreadSanitizer and natively.
#include <fmt/core.h>

#include <memory>

#include "bench/harness/apps_bench.h"
#include "bench/harness/commands.h"
#include "bench/harness/places.h"

namespace heddle::harness {
namespace {

constexpr const char* kAppsExamples =
    "examples:\n"
    "  heddle-bench apps                     all of ours, under four strategies\n"
    "  heddle-bench apps logger -s auto      one of them under one\n"
    "  heddle-bench apps --packages          also pbzip2 and pigz, whose sources are fetched from Debian";

struct AppsChoice {
  std::string json;
  bench::AppsOptions bench;
};

void define_apps(CLI::App& apps, AppsChoice& o) {
  apps.add_option("names", o.bench.programs, "only these")->type_name("NAME");
  apps.add_option("-s,--strategy", o.bench.strategies, "may be repeated [random, pct, pctwm, pos]")
      ->type_name("S")
      ->allow_extra_args(false);
  apps.add_option("--compiler", o.bench.compiler, "that builds them [g++]")->type_name("NAME");
  apps.add_flag("--packages", o.bench.packages, "also programs of Debian's, fetched and built here");
  apps.add_option("--json", o.json, "write the results as JSON; - is standard output")->type_name("FILE");
}

int run_apps(AppsChoice options) {
  const auto places = find_places();
  if (!places) return complain(places.error());
  options.bench.folder = places->folder("apps");
  options.bench.heddle = places->heddle;
  std::FILE* out = options.json == "-" ? stderr : stdout;
  fmt::print(out,
             "one execution each, on one core; heddle runs it once more where it found something. The factor "
             "is CPU time over "
             "ThreadSanitizer's\n");
  const auto results = bench::run_apps(options.bench, [&](const bench::AppResult& result) {
    fmt::print(out, "{}", bench::app_row(result));
    std::fflush(out);
  });
  if (!results) return complain(results.error());
  if (!options.json.empty()) {
    if (auto written = write_text_file(options.json, bench::apps_json(*results)); !written)
      return complain(written.error());
  }
  return 0;
}

}  // namespace

std::function<int()> add_apps(CLI::App& app) {
  CLI::App* apps =
      app.add_subcommand("apps", "applications beside ThreadSanitizer and native: time, memory, findings");
  apps->footer(kAppsExamples);
  const auto options = std::make_shared<AppsChoice>();
  define_apps(*apps, *options);
  return [options] { return run_apps(*options); };
}

}  // namespace heddle::harness
