// What is known of the threads of a logged run: of each, the execution in which it came furthest along its
// path. What a thread does on its path depends on what it reads alone. So threads of different executions go
// together (composition.h). The thesis puts together symbolic traces of single threads in the same way
// (Machado, PhD thesis, 5.2.1). Any order of the threads in which they stay on their paths brings one of them
// further.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tool/constraints/schedules.h"
#include "tool/search/composition.h"

namespace heddle::search {

using LoggedPaths = std::map<std::string, Path>;  // by thread

// How far a thread went along its path.
struct Matched {
  std::size_t steps = 0;   // the same from the start
  std::size_t of = 0;      // there are in `path`
  std::size_t ran = 0;     // steps of the execution
  std::size_t waited = 0;  // steps of the log that are not in `path`
  // The log's, with as many rounds of waiting loops as the execution made (waiting_rounds.h).
  std::shared_ptr<const Path> path;
  bool whole() const { return steps == of && ran == of; }
  bool leaves() const { return steps < std::min(of, ran); }
};
using MatchedThreads = std::map<std::string, Matched>;

// Every branch of each thread where they were kept, else those that shared values decided.
const std::map<std::string, ThreadPath>& decisions_of(const TracedRun& run);
MatchedThreads match(const LoggedPaths& log, const TracedRun& run);

class KnownPaths {
 public:
  // `failing`: the thread whose last step is the failure; empty: there is none.
  explicit KnownPaths(std::string failing) : failing_(std::move(failing)) {}

  void learn(const std::shared_ptr<TracedRun>& run, const MatchedThreads& matched);
  // Grows when a thread was seen to go further than before.
  std::size_t lessons() const { return lessons_; }

  // Threads that something is known of and that have steps left to make, but for the failure itself.
  std::vector<std::string> unfinished() const;

  enum class AtEnd : std::uint8_t {
    kStop,  // who has come to the end of its path stops there
    kGoOn,  // it goes on as it did: the log may have less than was done by who dies without warning
  };
  // Asks for an order in which as many as possible of the `wanted` threads go on: by one step more than is
  // known of, or to the end of their paths.
  struct Question {
    Composition of;
    constraints::SymbolicTrace trace;
    std::vector<constraints::WantedPath> wanted;
    ThreadId last = kNoThread;  // its last step is the failure, and comes after the others'
  };
  std::optional<Question> ask(const std::vector<std::string>& wanted, bool failure_comes_last, AtEnd at_end,
                              const std::map<Address, std::uint8_t>& initial) const;

 private:
  struct Known {
    std::shared_ptr<TracedRun> run;
    Matched matched;
  };
  std::optional<Composition> put_together(const std::map<Address, std::uint8_t>& initial) const;

  std::string failing_;
  std::map<std::string, Known> threads_;
  std::size_t lessons_ = 0;
};

}  // namespace heddle::search
