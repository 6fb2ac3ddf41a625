// What merging costs as logs get many and large: synthetic logs through the store and the ranking.
//   coop_logs relevance [LOGS]        time to rank LOGS logs of each of the thesis' sizes (Table 3.4)
//   coop_logs sizes [MOST_BYTES [DIR]]   time to read two logs of 1 KB and more, in files in DIR, and to
//   compare
//                                     them (Table 3.5); bytes are those of a log before it is compressed
//   coop_logs store LOGS BYTES DIR [dhs] [unlike]   LOGS logs of BYTES each into a store in DIR, and ranked
//   by
//                                     DSIM or DHS; neighbours of some are compared with the best of all
//                                     pairs. unlike: disperse elements have nothing in common from run to run
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "core/base/random.h"
#include "tool/merge/ranking/candidates.h"
#include "tool/merge/store/gather.h"
#include "tool/merge/store/log_store.h"

namespace {

using namespace heddle;

// CPU seconds of all threads: what else the machine does should not matter.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
double seconds_since(double began) { return now() - began; }

double megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// A program's shape: some elements are accessed in the same order in most runs, some never twice.
struct Shape {
  const char* name;
  std::uint32_t elements;
  std::uint64_t accesses;
  double disperse;      // share of elements whose order is new in nearly every run
  bool unlike = false;  // these orders are like those of no other run
};

constexpr Shape kShapes[] = {
    {"BoundedBuffer", 15, 525, 0.3},   {"BubbleSort", 11, 52495, 0.3},
    {"BufferWriter", 6, 130597, 0.8},  {"Deadlock", 4, 12, 0},
    {"Manager", 5, 2368, 1},           {"Piper", 8, 580, 0.5},
    {"ProducerConsumer", 8, 576, 0.5}, {"TicketOrder", 9, 6662, 0.4},
    {"TwoStage", 5, 27103, 0.4},       {"Cache4j", 4, 129, 0.1},
    {"Derby#2861", 14, 2509, 0.6},     {"Tomcat#37458", 22, 89, 0.1},
    {"Weblech", 5, 54, 0.2},
};

constexpr std::uint32_t kThreads = 6;

std::vector<ThreadRun> random_runs(Random& random, std::uint64_t accesses) {
  std::vector<ThreadRun> runs;
  std::uint32_t thread = random.below(kThreads);
  while (accesses > 0) {
    const std::uint64_t count = std::min<std::uint64_t>(accesses, 1 + random.below(6));
    runs.push_back({thread, false, count});
    accesses -= count;
    thread = (thread + 1 + random.below(kThreads - 1)) % kThreads;
  }
  return runs;
}

// Two runs change places, as when one thread was a little faster.
void disturb(Random& random, std::vector<ThreadRun>& runs) {
  if (runs.size() < 4) return;
  const std::size_t times = 1 + runs.size() / 200;
  for (std::size_t i = 0; i < times; ++i) {
    const std::size_t at = 1 + random.below(static_cast<std::uint32_t>(runs.size() - 3));
    if (runs[at - 1].thread != runs[at + 1].thread && runs[at].thread != runs[at + 2].thread)
      std::swap(runs[at], runs[at + 1]);
  }
}

class Generator {
 public:
  Generator(const Shape& shape, std::uint64_t seed) : shape_(shape), random_(seed) {
    for (std::uint32_t i = 0; i < kThreads; ++i) threads_.push_back("0." + std::to_string(i + 1));
    for (std::uint32_t e = 0; e < shape.elements; ++e) {
      // A few ways in which runs go, which most follow closely.
      for (int way = 0; way < 4; ++way)
        ways_.push_back(random_runs(random_, std::max<std::uint64_t>(1, shape.accesses / shape.elements)));
    }
  }
  AccessLog next(double share) {
    AccessLog log;
    log.path = std::to_string(number_++);
    log.build = log.run = 1;
    log.outcome = RunOutcome::kFailed;
    log.failure_place = "assertion";
    log.elements_in_all = shape_.elements;
    log.threads = threads_;
    const auto wanted = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(share * shape_.elements + 0.5));
    const std::uint32_t way = random_.below(4);
    for (std::uint32_t e = 0, left = wanted; e < shape_.elements && left > 0; ++e) {
      if (random_.below(shape_.elements - e) >= left) continue;
      --left;
      AccessVector vector{e, ways_[e * 4 + way]};
      const bool is_disperse = e < shape_.disperse * shape_.elements;
      if (is_disperse && shape_.unlike)
        vector.runs = random_runs(random_, shape_.accesses / shape_.elements);
      else if (is_disperse || random_.below(20) == 0)
        disturb(random_, vector.runs);
      log.vectors.push_back(std::move(vector));
    }
    return log;
  }

 private:
  Shape shape_;
  Random random_;
  std::vector<std::string> threads_;
  std::vector<std::vector<ThreadRun>> ways_;
  std::uint64_t number_ = 0;
};

double rank_seconds(const merge::LogSet& logs, merge::Metric metric) {
  const auto began = now();
  const merge::NeighbourIndex index(logs, metric, 1);
  const auto ranking = merge::sgm_relevance(logs, index, 1, 2);
  return ranking.empty() ? 0 : seconds_since(began);
}

int rank_shapes(std::uint64_t count) {
  fmt::print("{:<18} {:>6} {:>9}  {:>8} {:>8} {:>8}   CPU seconds to rank {} logs, reading included\n", "",
             "share", "different", "PSIM", "DSIM", "DHS", count);
  for (const Shape& shape : kShapes) {
    for (const double share : {0.25, 0.5, 0.75}) {
      Generator generator(shape, 1);
      std::vector<AccessLog> logs;
      for (std::uint64_t i = 0; i < count; ++i) logs.push_back(generator.next(share));
      const auto began = now();
      auto store = merge::LogStore::open("");
      for (const AccessLog& log : logs) {
        if (auto added = (*store)->add(log); !added) return 3;
      }
      auto bugs = (*store)->bugs();
      if (!bugs || bugs->empty()) return 3;
      const double reading = seconds_since(began);
      const merge::LogSet& set = bugs->front()->logs;
      double seconds[3] = {};
      for (const int m : {0, 1, 2}) seconds[m] = reading + rank_seconds(set, static_cast<merge::Metric>(m));
      fmt::print("{:<18} {:>5.0f}% {:>9} {:>8.3f} {:>8.3f} {:>8.3f}\n", shape.name, share * 100, set.logs(),
                 seconds[0], seconds[1], seconds[2]);
      std::fflush(stdout);
    }
  }
  return 0;
}

// Two such logs differ a little in every element. Made and written element by element: as runs in memory a
// log of 1 GB would take 8.
Status write_large_log(const std::string& path, std::uint64_t bytes, std::uint64_t number) {
  constexpr std::uint32_t kElements = 8;
  AccessLog log;
  log.build = log.run = 1;
  log.outcome = RunOutcome::kFailed;
  log.failure_place = "assertion";
  log.elements_in_all = kElements;
  for (std::uint32_t i = 0; i < kThreads; ++i) log.threads.push_back("0." + std::to_string(i + 1));
  AccessLogWriter writer(log);
  for (std::uint32_t e = 0; e < kElements; ++e) {
    // A run is two bytes, and 3.5 accesses on average.
    Random way(mix(2, e)), disturbing(mix(number, e));
    AccessVector vector{e, random_runs(way, bytes / kElements * 7 / 4)};
    disturb(disturbing, vector.runs);
    writer.add(vector);
  }
  return writer.write(path);
}

int compare_sizes(std::uint64_t most, const std::string& directory) {
  fmt::print("{:>12} {:>12} {:>10} {:>10} {:>10} {:>8}\n", "bytes", "reading s", "PSIM s", "DSIM s", "DHS s",
             "MB");
  for (std::uint64_t bytes = 1000; bytes <= most; bytes *= 10) {
    // In a process of its own, so that making the logs does not count as memory of reading them.
    const auto path = [&](std::uint64_t i) { return fmt::format("{}/size{}.log", directory, i); };
    const pid_t child = ::fork();
    if (child == 0)
      std::_Exit(write_large_log(path(1), bytes, 1) && write_large_log(path(2), bytes, 2) ? 0 : 1);
    int state = 0;
    if (child < 0 || ::waitpid(child, &state, 0) != child || state != 0) return 3;
    auto began = now();
    auto store = merge::LogStore::open("");
    merge::Gatherer gatherer(**store, {path(1), path(2)});
    const auto added = gatherer.gather();
    if (!added || *added != 2) return 3;
    auto bugs = (*store)->bugs();
    const double reading = seconds_since(began);
    const merge::LogSet& set = bugs->front()->logs;
    double seconds[3] = {};
    for (const int m : {0, 1, 2}) {
      const auto metric = static_cast<merge::Metric>(m);
      const merge::Weights weights = merge::weights_of(set, metric);
      began = now();
      if (merge::similarity(set, weights, metric, 0, 1) < 0) return 3;
      seconds[m] = seconds_since(began);
    }
    fmt::print("{:>12} {:>12.4f} {:>10.6f} {:>10.6f} {:>10.6f} {:>8.0f}\n", bytes, reading, seconds[0],
               seconds[1], seconds[2], megabytes());
    std::fflush(stdout);
    for (const std::uint64_t i : {1, 2}) std::filesystem::remove(path(i));
  }
  return 0;
}

// For each element that the base misses, how similar the most similar of all logs is that has it. Logs come
// by the weight of what they have in common with the base, which their similarity cannot exceed: those that
// cannot be better any more need no comparison.
std::vector<double> best_of_all(const merge::LogSet& set, const merge::NeighbourIndex& index,
                                const std::vector<std::uint64_t>& lengths, merge::LogIndex base) {
  const merge::Weights& weights = index.weights();
  std::vector<std::pair<std::uint64_t, merge::LogIndex>> by_weight;
  for (merge::LogIndex log = 0; log < set.logs(); ++log) {
    if (log == base) continue;
    std::uint64_t common = 0;
    for (const merge::Recorded& r : set.log(log)) {
      if (set.recorded(base, r.element) != merge::kNone) common += weights.of_element[r.element];
    }
    by_weight.emplace_back(common, log);
  }
  std::sort(by_weight.rbegin(), by_weight.rend());
  std::vector<double> best(set.elements(), -1);
  for (const merge::Recorded& r : set.log(base)) best[r.element] = 1;  // not missing
  for (const auto& [common, log] : by_weight) {
    const double most = static_cast<double>(common) / static_cast<double>(weights.total);
    if (std::ranges::none_of(set.log(log), [&](const auto& r) { return best[r.element] <= most + 1e-9; }))
      continue;
    const double alike = merge::similarity(set, weights, index.metric(), base, log, &lengths);
    for (const merge::Recorded& r : set.log(log)) best[r.element] = std::max(best[r.element], alike);
  }
  return best;
}

// Of some bases: the share of missing elements for which no log is more similar than the one that was found.
double recall_of(const merge::LogSet& set, const merge::NeighbourIndex& index, merge::LogIndex bases) {
  std::vector<std::uint64_t> lengths;
  for (merge::VectorIndex v = 0; v < set.vectors(); ++v) lengths.push_back(merge::length_of(set.bytes(v)));
  double right = 0, all = 0;
  for (merge::LogIndex i = 0; i < bases; ++i) {
    const auto base = static_cast<merge::LogIndex>(set.logs() * i / bases);
    const std::vector<double> best = best_of_all(set, index, lengths, base);
    for (const merge::Neighbour& n : index.neighbours(base)) {
      for (const merge::Recorded& r : n.fills) {
        right += n.similarity >= best[r.element] ? 1 : 0;
        all += 1;
      }
    }
  }
  return right / all;
}

int fill_store(std::uint64_t count, std::uint64_t bytes, const std::string& directory, merge::Metric metric,
               bool unlike) {
  const Shape shape{"", 20, bytes * 2 * 7 / 2, 0.4, unlike};
  Generator generator(shape, 3);
  double adding = 0;
  auto store = merge::LogStore::open(directory);
  if (!store) return 2;
  std::vector<AccessLog> some;
  for (std::uint64_t done = 0; done < count; done += some.size()) {
    some.clear();
    while (some.size() < 1000 && done + some.size() < count) some.push_back(generator.next(0.5));
    const auto began = now();
    if (!(*store)->begin()) return 2;
    for (const AccessLog& log : some) {
      if (!(*store)->add(log)) return 2;
    }
    if (!(*store)->end()) return 2;
    adding += seconds_since(began);
  }
  store->reset();
  auto began = now();
  auto again = merge::LogStore::open(directory);
  if (!again) return 2;
  auto bugs = (*again)->bugs();
  if (!bugs) return 2;
  const double opening = seconds_since(began);
  const merge::LogSet& set = bugs->front()->logs;
  began = now();
  const auto clock = std::chrono::steady_clock::now();
  const merge::NeighbourIndex index(set, metric, 1);
  const auto ranking = merge::sgm_relevance(set, index, 1, 2);
  const double ranked = seconds_since(began);
  const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  fmt::print(
      "{} logs ({} different, {} vectors): CPU seconds: adding {:.1f}, opening {:.1f}, ranking {:.1f} "
      "({:.1f} "
      "on the clock, {} pairs compared); {:.0f} MB\n",
      count, set.logs(), set.vectors(), adding, opening, ranked, waited, index.compared(), megabytes());
  std::fflush(stdout);
  began = now();
  const double recall = recall_of(set, index, 20);
  fmt::print("recall of 20 bases against all logs: {:.3f} (in {:.1f} s)\n", recall, seconds_since(began));
  return ranking.empty() ? 3 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  if (argc > 1 && std::strcmp(argv[1], "relevance") == 0) return rank_shapes(number(2, 500));
  if (argc > 1 && std::strcmp(argv[1], "sizes") == 0)
    return compare_sizes(number(2, 100'000'000), argc > 3 ? argv[3] : ".");
  const auto is_asked_for = [&](const char* word) {
    return std::any_of(argv + 1, argv + argc,
                       [&](const char* given) { return std::strcmp(given, word) == 0; });
  };
  if (argc > 4 && std::strcmp(argv[1], "store") == 0)
    return fill_store(number(2, 0), number(3, 0), argv[4],
                      is_asked_for("dhs") ? merge::Metric::kDhs : merge::Metric::kDsim,
                      is_asked_for("unlike"));
  fmt::print(
      stderr,
      "usage: coop_logs relevance [LOGS] | sizes [BYTES [DIR]] | store LOGS BYTES DIR [dhs] [unlike]\n");
  return 2;
}
