#include "tool/record/vector_builder.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

class RunList {
 public:
  void add(std::uint32_t thread, std::uint64_t accesses, std::uint64_t first_time = 0,
           std::uint64_t last_time = 0) {
    if (accesses == 0) return;
    // What came later has no earlier time, whatever the clocks of two processors say.
    if (!runs_.empty()) first_time = std::max(first_time, runs_.back().last_rank);
    last_time = std::max(first_time, last_time);
    if (!closed_ && !runs_.empty() && runs_.back().thread == thread) {
      runs_.back().accesses += accesses;
      runs_.back().last_rank = last_time;
    } else {
      runs_.push_back({thread, false, accesses, first_time, last_time});
    }
    closed_ = false;
  }
  // Reads of one version.
  void add(const std::map<std::uint32_t, std::uint64_t>& readers) {
    if (readers.size() == 1) return add(readers.begin()->first, readers.begin()->second);
    bool first = true;
    for (const auto& [thread, reads] : readers) {
      runs_.push_back({thread, !first, reads, 0, 0});
      first = false;
    }
    closed_ = closed_ || !readers.empty();
  }
  std::vector<ThreadRun> take() { return std::move(runs_); }

 private:
  std::vector<ThreadRun> runs_;
  bool closed_ = false;  // the last run is one of a group
};

// `a * b`, or more than any log can hold.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? ~0ull : result;
}

}  // namespace

BuiltVector build_vector(std::vector<ElementToken> tokens) {
  std::vector<ElementToken> writes;
  std::vector<ElementToken> reads;
  for (ElementToken& token : tokens) {
    if (token.repeats == 0) continue;
    if (token.writes == 0) token.reads = product(token.reads, token.repeats);
    (token.writes != 0 ? writes : reads).push_back(token);
  }
  const auto by_version = [](const ElementToken& a, const ElementToken& b) { return a.start < b.start; };
  std::stable_sort(writes.begin(), writes.end(), by_version);
  std::stable_sort(reads.begin(), reads.end(), by_version);

  BuiltVector built;
  RunList runs;
  auto read = reads.begin();
  std::uint64_t version = 0;
  // Reads of versions up to `limit`, with those of `owner` at each: what owner did before goes first.
  const auto readers_at = [&](std::uint64_t at) {
    std::map<std::uint32_t, std::uint64_t> readers;
    for (; read != reads.end() && read->start == at; ++read) readers[read->thread] += read->reads;
    return readers;
  };
  for (const ElementToken& token : writes) {
    const std::uint64_t made = product(token.writes, token.repeats);
    if (token.start != version || made > ~0ull - version || token.reads > ~0ull - token.writes) {
      built.incomplete = true;
      break;
    }
    const std::uint64_t pair = token.reads + token.writes;
    std::uint64_t told = 0;  // accesses of the token that are in the vector
    while (read != reads.end() && read->start < version + made) {
      const std::uint64_t at = read->start - version;
      const std::uint64_t within = at % token.writes;
      const std::uint64_t before = at / token.writes * pair + (within != 0 ? token.reads + within : 0);
      runs.add(token.thread, before - told);
      told = before;
      auto readers = readers_at(read->start);
      if (within == 0 && token.reads != 0) {
        readers[token.thread] += token.reads;
        told += token.reads;
      }
      runs.add(readers);
    }
    runs.add(token.thread, product(pair, token.repeats) - told, token.first_time, token.last_time);
    version += made;
  }
  runs.add(readers_at(version));
  built.incomplete = built.incomplete || read != reads.end();
  built.runs = runs.take();
  return built;
}

void rank_runs(std::vector<AccessVector>& vectors) {
  std::vector<std::uint64_t> times;
  for (const AccessVector& vector : vectors) {
    for (const ThreadRun& run : vector.runs) times.insert(times.end(), {run.first_rank, run.last_rank});
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto rank = [&](std::uint64_t time) {
    return static_cast<std::uint64_t>(std::ranges::lower_bound(times, time) - times.begin());
  };
  for (AccessVector& vector : vectors) {
    for (ThreadRun& run : vector.runs) {
      run.first_rank = rank(run.first_rank);
      run.last_rank = rank(run.last_rank);
    }
  }
}

}  // namespace heddle
