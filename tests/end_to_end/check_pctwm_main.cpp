// Executions of random programs under pctwm, each judged by a second transcription of the algorithm and by
// the axioms.
//
//   check_pctwm [PROGRAMS]
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compiler/install_layout.h"
#include "core/base/random.h"
#include "tests/oracle/check_pctwm.h"
#include "tests/oracle/check_trace.h"
#include "tool/bench/explore_program.h"

namespace {

using heddle::Random;

const char* const kLoadOrders[] = {"rlx", "acq", "sc"};
const char* const kStoreOrders[] = {"rlx", "rel", "sc"};
const char* const kFenceOrders[] = {"acq", "rel", "ar", "sc"};
const char* const kLocations[] = {"x", "y", "z"};

// Each location is written by one thread, and read by all.
std::string random_program(Random& random, std::uint32_t& communications) {
  const std::uint32_t threads = 2 + random.below(2);
  std::string text;
  communications = 0;
  for (std::uint32_t t = 0; t < threads; ++t) {
    // The first operation is performed with the start of the thread: no communication event.
    text += std::string("thread store ") + kLocations[t] + " 9 rlx";
    const std::uint32_t operations = 2 + random.below(4);
    for (std::uint32_t i = 0; i < operations; ++i) {
      text += " ; ";
      const std::uint32_t kind = random.below(8);
      const std::uint32_t order = random.below(3);
      if (kind < 3) {
        text +=
            std::string("store ") + kLocations[t] + " " + std::to_string(i + 1) + " " + kStoreOrders[order];
        communications += order == 2 ? 1 : 0;
      } else if (kind < 7) {
        text += "r" + std::to_string(t) + std::to_string(i) + " = load " + kLocations[random.below(threads)] +
                " " + kLoadOrders[order];
        ++communications;
      } else {
        const std::uint32_t fence = random.below(4);
        text += std::string("fence ") + kFenceOrders[fence];
        communications += fence != 1 ? 1 : 0;
      }
    }
    text += "\n";
  }
  return text;
}

int fail(const std::string& message) {
  std::printf("check_pctwm: %s\n", message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t programs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 40;
  const auto layout = heddle::compiler::find_layout();
  if (!layout) return fail(layout.error().message);
  std::vector<std::string> notes;
  const auto interpreter = heddle::run::resolve_target({layout->litmus_interpreter}, layout->library, notes);
  if (!interpreter) return fail(interpreter.error().message);
  Random random(1);
  std::size_t local = 0, forced = 0, external = 0, executions = 0;
  for (std::uint64_t p = 0; p < programs; ++p) {
    std::uint32_t communications = 0;
    const std::string text = random_program(random, communications);
    heddle::run::Target target = *interpreter;
    target.argv = {layout->litmus_interpreter, text};
    const std::uint32_t d = random.below(4);
    const std::uint32_t h = 1 + random.below(3);
    heddle::RunSpec spec;
    spec.seed = p;
    std::snprintf(spec.strategy, sizeof spec.strategy, "pctwm:d=%u,h=%u,k=%u", d, h,
                  communications > 0 ? communications : 1);
    for (std::uint64_t i = 0; i < 3; ++i) {
      heddle::run::SingleOptions options;
      options.index = i;
      options.symbolise = false;
      const auto run = heddle::run::run_single(target, spec, options);
      if (!run) return fail(run.error().message);
      const std::vector<heddle::Event> events(run->trace.events.begin(), run->trace.events.end());
      const oracle::PctwmVerdict verdict = oracle::check_pctwm(events, d, h);
      const std::string axiom = oracle::check_trace(run->trace).error;
      if (!verdict.error.empty() || !axiom.empty())
        return fail(text + spec.strategy + ", seed " + std::to_string(p) + ", execution " +
                    std::to_string(i) + ": " + verdict.error + axiom);
      local += verdict.local;
      forced += verdict.forced;
      external += verdict.external;
      ++executions;
    }
  }
  std::printf(
      "%zu executions of %llu programs: %zu reads from views, %zu of them forced on, %zu from outside\n",
      executions, static_cast<unsigned long long>(programs), local + forced, forced, external);
  return local > 0 && forced > 0 && external > 0 ? 0 : fail("a kind of read never came up");
}
