// What the executions of a campaign leave for later ones, in memory that all workers share.
//
// Results must not depend on the number of workers or on timing. So executions are grouped into rounds, fixed
// by their indices, and an execution may use only what rounds before its own have left. A worker that takes
// the first index of a round waits until every execution before it is complete (wait for completed() to reach
// round_begin); what was left by then is a function of the seed. Everything is added by operations that
// commute, so that the order within a round does not matter either. Rewards are counted in executions, never
// in time.
//
// All zero is the state of a campaign that has not begun: the memory is sparse, and nothing constructs it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/client_exchange.h"
#include "core/trace/code_facts.h"
#include "core/trace/corpus.h"
#include "core/trace/first_seen.h"

namespace heddle {

struct ExecutionResult;

// What an execution was like: who read what, in which turn objects were taken, and the bug that it ended in.
// The order of independent operations does not count. Where the strategy did not follow the execution, it is
// everything in its order.
std::uint64_t behaviour(const ExecutionResult& result);

// Rounds: one execution, one, two, four, then eight or a quarter of all before, whichever is more.
std::uint64_t round_begin(std::uint32_t round);
std::uint32_t round_of(std::uint64_t index);
inline constexpr std::uint32_t kMostRounds = 128;

inline constexpr std::uint32_t kMostMembers = 24;       // of a portfolio
inline constexpr std::uint64_t kJudged = 1u << 18;      // executions that are judged by whether they were new
inline constexpr std::uint64_t kProfiled = 8;           // executions that are looked at place by place
inline constexpr std::uint32_t kProfiledPlaces = 1024;  // power of two
inline constexpr std::uint32_t kProfiledThreads = 256;

struct RoundRecord {
  std::atomic<std::uint64_t> executions;  // whose operations were counted
  std::atomic<std::uint64_t> events;      // sums over them
  std::atomic<std::uint64_t> communications;
  struct Member {
    std::atomic<std::uint64_t> executions;
    std::atomic<std::uint64_t> buggy;
    std::atomic<std::uint64_t> steps;  // visible operations of all of them: what they cost, but for the clock
    std::atomic<std::uint64_t> fresh;  // executions unlike all before; known once the round is judged
  } members[kMostMembers];
  std::atomic<std::uint32_t> judged;
};

// How often threads access one place in memory or one synchronisation object.
struct ProfiledPlace {
  std::atomic<std::uint64_t> key;  // 0: free
  std::atomic<std::uint32_t> writes;
  std::atomic<std::uint32_t> counts[kProfiledThreads];  // in all profiled executions together
};

// What exhaustive search knows of the tree that it goes through.
struct SearchProgress {
  std::atomic<std::uint64_t> complete;   // executions explored
  std::atomic<std::uint64_t> redundant;  // broken off: they would have repeated one
  std::atomic<std::uint64_t> covered;    // share of the tree that is behind, in 2^-63
  std::atomic<std::uint32_t> bound_hit;  // something was left out because of a bound
  std::atomic<std::uint32_t> exhausted;  // nothing is left
  std::atomic<std::uint32_t>
      buffers_loads;                      // load buffering, which is not explored, could show something else
  std::atomic<std::uint32_t> decision;    // of a portfolio that has tried it
  std::atomic<std::uint64_t> decided_at;  // the execution before which it was made; 0: not yet
  static constexpr std::uint32_t kGoOn = 1;
  static constexpr std::uint32_t kGiveUp = 2;
};

class Learning {
 public:
  // Executions that are over.
  std::uint64_t completed() const { return completed_.load(std::memory_order_acquire); }
  void record(const ExecutionResult& result) {
    note(result);
    count_completed();
  }
  // The two parts of it: what the execution leaves for later rounds, and that it is over.
  void note(const ExecutionResult& result);
  void count_completed() { completed_.fetch_add(1, std::memory_order_acq_rel); }

  // Executions that the campaign may come to, as far as its budget tells: set by the tool before it starts.
  std::atomic<std::uint64_t> planned;

  // Means over all rounds before `round`, rounded up; 0: not known.
  std::uint32_t events(std::uint32_t round) const { return mean(round, &RoundRecord::events); }
  std::uint32_t communications(std::uint32_t round) const {
    return mean(round, &RoundRecord::communications);
  }
  // REQUIRES: the round is over.
  const RoundRecord& judged_round(std::uint32_t round);
  const RoundRecord& round(std::uint32_t number) const { return rounds_[number]; }

  // The place with this key, made if there is room; nullptr otherwise.
  ProfiledPlace* place(std::uint64_t key);
  ProfiledPlace* places() { return places_; }

  // Pairs of places in the program between which executions have read (runtime/strategy/read_pairs.h).
  using Pairs = FirstSeen<1u << 16>;
  Pairs& pairs() { return pairs_; }
  const Pairs& pairs() const { return pairs_; }
  // What executions looked like: who read what, and what bug they ended in.
  void note_fingerprint(std::uint64_t fingerprint, std::uint64_t index);
  bool is_fingerprint_known(std::uint64_t fingerprint, std::uint32_t round) const;
  Corpus& corpus() { return corpus_; }
  // What the code of operations looks like.
  CodeFacts& code() { return code_; }
  // What executions run, where the tool says so.
  ClientExchange& clients() { return clients_; }

  SearchProgress& search() { return search_; }
  const SearchProgress& search() const { return search_; }
  static constexpr std::size_t kPathBytes = std::size_t{48} << 20;
  void* path() { return path_; }

 private:
  std::uint32_t mean(std::uint32_t round, std::atomic<std::uint64_t> RoundRecord::* sum) const;

  std::atomic<std::uint64_t> completed_;
  RoundRecord rounds_[kMostRounds];
  SearchProgress search_;
  ProfiledPlace places_[kProfiledPlaces];
  std::atomic<std::uint64_t> fingerprints_[kJudged];
  std::atomic<std::uint8_t> members_[kJudged];  // 1 + member
  FirstSeenByExecution<kJudged> seen_;
  Pairs pairs_;
  Corpus corpus_;
  CodeFacts code_;
  ClientExchange clients_;
  alignas(64) unsigned char path_[kPathBytes];
};

}  // namespace heddle
