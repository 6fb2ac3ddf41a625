// constraints_bench [--cxx20] [--unobserved] [--seeds N] [NAME ...]: CPU time of tool/constraints on
// synthetic traces of the sizes of Table 4.1 (Machado, PhD thesis) and of 300, 1,000 and 5,000 accesses.
//
// Threads read, branch on what they read, compute and write, under locks or not, like the programs of the
// table; the trace is that of a random schedule, and fails by an assertion about what other threads wrote.
// The table's own programs are `heddle-bench cause`.
#include <fmt/core.h>

#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/constraints/trace_builder.h"
#include "tool/constraints/schedules.h"
#include "tool/constraints/switches.h"

namespace {

using namespace heddle;
using namespace heddle::constraints;

struct Shape {
  const char* name;
  int threads, variables, accesses;
  const char* thesis;  // its solver's time
};

constexpr Shape kShapes[] = {
    {"Crasher", 6, 4, 266, "1m2s"},
    {"StringBuf", 2, 5, 69, "1s"},
    {"BBuf", 5, 11, 143, "8s"},
    {"Pfscan", 5, 9, 74, "1s"},
    {"Pbzip2(S)", 9, 14, 176, "1s"},
    {"Pbzip2(M)", 9, 14, 367, "26s"},
    {"Pbzip2(L)", 9, 14, 1156, "15h15m"},
    {"Airline", 8, 2, 36, "1s"},
    {"Bank", 3, 3, 115, "2s"},
    {"TwoStage", 4, 4, 49, "1s"},
    {"Cache4j(S)", 4, 7, 28, "1s"},
    {"Cache4j(M)", 4, 7, 1247, "51s"},
    {"Cache4j(L)", 4, 7, 1411, "1h25m"},
    {"300", 4, 8, 300, ""},
    {"1000", 6, 10, 1000, ""},
    {"5000", 8, 20, 5000, ""},
};

// One thread's work, chosen as it goes. All that it does to a variable at a time is one section, mostly.
class Generator {
 public:
  Generator(const Shape& shape, std::uint64_t seed, bool atomics)
      : shape_(shape), random_(seed), atomics_(atomics) {
    for (int v = 0; v < shape.variables; ++v) {
      b_.initial(v, 0);
      owner_.push_back(-1);
    }
    sections_.resize(static_cast<std::size_t>(shape.threads));
  }

  SymbolicTrace generate() {
    for (int t = 1; t < shape_.threads; ++t) b_.create(0, t);
    for (int v = 0; v < shape_.variables; ++v) b_.read(0, v);  // initial values are known
    int accesses = shape_.variables;
    while (accesses < shape_.accesses) {
      const int thread = static_cast<int>(random_.below(static_cast<std::uint32_t>(shape_.threads)));
      for (std::uint32_t burst = random_.below(6); burst-- > 0;) accesses += step(thread);
    }
    for (int t = 0; t < shape_.threads; ++t) finish(t);
    // What the last writer left is not what the first thread hopes for.
    const TraceBuilder::Value seen = b_.read(0, 0);
    b_.fails_unless(0, b_.binary(Operator::kNotEqual, seen, TraceBuilder::number(seen.concrete)));
    return b_.finish();
  }

 private:
  struct Section {
    bool open = false, locked = false;
    int variable = 0, stage = 0;
    TraceBuilder::Value value;
  };

  static bool is_atomic(int variable) { return variable % 3 == 1; }

  TraceBuilder::Value read(int t, int v) {
    if (!atomics_ || !is_atomic(v)) return b_.read(t, v);
    return b_.load(t, v, random_.below(2) == 0 ? MemoryOrder::kAcquire : MemoryOrder::kRelaxed);
  }
  void write(int t, int v, const TraceBuilder::Value& value) {
    if (!atomics_ || !is_atomic(v)) {
      b_.write(t, v, value);
    } else {
      b_.store(t, v, value, random_.below(2) == 0 ? MemoryOrder::kRelease : MemoryOrder::kRelaxed);
    }
  }

  int step(int t) {
    Section& s = sections_[static_cast<std::size_t>(t)];
    if (!s.open) {
      const int variable = static_cast<int>(random_.below(static_cast<std::uint32_t>(shape_.variables)));
      const bool locks = random_.below(10) < 6;
      if (locks && owner_[static_cast<std::size_t>(variable)] >= 0) return 0;
      s = {true, locks, variable, 0, {}};
      if (locks) {
        owner_[static_cast<std::size_t>(variable)] = t;
        b_.lock(t, variable + 1);
      }
      return 0;
    }
    switch (s.stage++) {
      case 0:
        s.value = read(t, s.variable);
        branch(t, s.value);
        return 1;
      case 1:
        if (random_.below(3) == 0) {
          s.stage = 3;
          return 0;
        }
        write(t, s.variable,
              random_.below(4) == 0
                  ? TraceBuilder::number(random_.below(4))
                  : b_.binary(Operator::kAdd, s.value, TraceBuilder::number(random_.below(3) - 1)));
        return 1;
      case 2:
        if (random_.below(2) == 0) return 0;
        s.value = read(t, s.variable);
        return 1;
      default:
        finish(t);
        return 0;
    }
  }

  void branch(int t, const TraceBuilder::Value& value) {
    switch (random_.below(4)) {
      case 0:
        b_.branch(t, b_.greater(value, 0));
        break;
      case 1:
        b_.branch(t, b_.greater(value, value.concrete == 0 ? 1 : value.concrete - 1));
        break;
      case 2:
        if (random_.below(3) == 0) b_.branch(t, b_.equal(value, value.concrete));
        break;
      default:
        break;
    }
  }

  void finish(int t) {
    Section& s = sections_[static_cast<std::size_t>(t)];
    if (s.open && s.locked) {
      b_.unlock(t, s.variable + 1);
      owner_[static_cast<std::size_t>(s.variable)] = -1;
    }
    s.open = false;
  }

  Shape shape_;
  Random random_;
  bool atomics_;
  TraceBuilder b_;
  std::vector<int> owner_;
  std::vector<Section> sections_;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <typename F>
double time_of(F f) {
  const double start = cpu_seconds();
  f();
  return cpu_seconds() - start;
}

const char* name_of(Answer answer) {
  return answer == Answer::kSatisfiable ? "yes" : answer == Answer::kUnsatisfiable ? "no" : "?";
}

void measure(const Shape& shape, std::uint64_t seed, const SolveOptions& options) {
  const SymbolicTrace trace = Generator(shape, seed, options.model == Model::kCxx20).generate();
  SolvedSchedule failing;
  const double solve = time_of([&] { failing = solve_failing(trace, options); });
  fmt::print("{:11} {:7} {:7} {:6} {:9} {:5} {:9.2f} {:9} {:7}", shape.name, trace.actions.size(),
             failing.size.decided_reads, failing.size.candidates, failing.size.conflicts,
             name_of(failing.answer), solve, shape.thesis, failing.size.rounds);
  std::fflush(stdout);
  SolveOptions near = options;
  near.start_from_observed = true;
  near.most_conflicts = SolveOptions{}.most_conflicts;
  const Execution observed = observed_execution(trace);
  RootCause cause;
  const double root = time_of([&] { cause = root_cause(trace, observed, near); });
  Alternates found;
  const double alternate = time_of([&] { found = alternates(trace, observed, cause, 1, near); });
  FewerSwitches fewer;
  const double reduce = time_of([&] { fewer = reduce_switches(trace, observed, options.model); });
  fmt::print(" {:5}{} {:9} {:9.2f} {:9.2f} {:4} {:9.2f} {:5}->{:<5}\n", cause.core.size(),
             cause.minimal ? " " : "+", cause.questions, root, alternate, found.found.size(), reduce,
             fewer.before, fewer.after);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  SolveOptions options;
  options.most_conflicts = 2'000'000;
  std::uint64_t seeds = 1;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--cxx20") {
      options.model = Model::kCxx20;
    } else if (word == "--unobserved") {
      options.start_from_observed = false;
    } else if (word == "--seeds" && i + 1 < argc) {
      seeds = std::stoull(argv[++i]);
    } else {
      names.push_back(word);
    }
  }
  fmt::print(
      "{:11} {:>7} {:>7} {:>6} {:>9} {:>5} {:>9} {:>9} {:>7} {:>6} {:>9} {:>9} {:>9} {:>4} {:>9} {:>12}\n",
      "size", "actions", "reads", "rf", "conflicts", "fails", "fail s", "thesis", "rounds", "core",
      "questions", "root s", "alt s", "alts", "csr s", "switches");
  std::fflush(stdout);
  for (const Shape& shape : kShapes) {
    bool wanted = names.empty();
    for (const std::string& name : names) wanted |= name == shape.name;
    for (std::uint64_t seed = 1; wanted && seed <= seeds; ++seed) measure(shape, seed, options);
  }
  return 0;
}
