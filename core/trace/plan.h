// A plan: an execution as its departures from the unsurprising one, in which a thread goes on while it can,
// loads read the newest store and nothing fails without a reason. Unlike a choice log, a plan can be
// shortened: a departure is named by what its thread has done so far, and not by what all threads have, so
// that it still means the same when others are taken away. Where it is not met, or what it picks is not on
// offer, it has no effect.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/choice.h"
#include "core/trace/injection.h"
#include "core/trace/path_question.h"

namespace heddle {

// Where a choice is met: the choosing thread, how many operations it has performed, and how many choices of this
// kind it has met since. Ordered by thread, then by operation.
struct ChoicePlace {
  std::uint64_t bits = 0;

  static constexpr std::uint32_t kForced = kChoiceKinds;  // of a thread that cannot go on itself
  static constexpr ChoicePlace make(ThreadId thread, std::uint32_t operations, std::uint32_t slot,
                                    std::uint32_t turn) {
    return {static_cast<std::uint64_t>(index_of(thread)) << 48 |
            static_cast<std::uint64_t>(operations) << 16 | static_cast<std::uint64_t>(slot & 15) << 12 |
            (turn & 0xfff)};
  }
  constexpr ThreadId thread() const { return ThreadId{static_cast<std::uint16_t>(bits >> 48)}; }
  constexpr std::uint32_t slot() const { return (bits >> 12) & 15; }
  constexpr ChoiceKind kind() const {
    return slot() == kForced ? ChoiceKind::kThread : static_cast<ChoiceKind>(slot());
  }
  friend constexpr auto operator<=>(ChoicePlace, ChoicePlace) = default;
};

struct Departure {
  ChoicePlace place;
  ChoiceKey pick;
};

// What a plan says of what follows its departures: a thread that has performed so many operations goes on
// where nobody else has anything left to do.
struct Hold {
  ThreadId thread = kNoThread;
  std::uint32_t operations = 0;
};

// A departure that was made.
struct DepartureMade {
  Departure departure;
  std::uint32_t choice = 0;  // index in the log
  std::uint32_t event = 0;   // number of events before it, where they are recorded
  std::uint32_t preempts = 0;
  std::uint32_t unused = 0;
};
static_assert(sizeof(DepartureMade) == 32);

// How the tool hands plans to a worker, one at a time, and gets back what became of each. Lies in the memory
// of a campaign (Learning::path), and is valid as it comes from the kernel: all zero.
struct PlanExchange {
  static constexpr std::uint32_t kMost = 1u << 19;  // departures

  // Written by the tool while no plan is being followed. Execution i follows the plan of which `given` is i
  // + 1.
  std::atomic<std::uint32_t> given;  // futex word
  std::atomic<std::uint32_t> closed;
  std::uint64_t execution;    // whose index this stands for: what the system tells the program depends on it
  std::uint32_t list_others;  // write down the alternatives, too
  std::uint32_t follow_log;   // make the choices of the channel's log, exactly; the plan is what comes of it
  std::uint32_t count;
  Departure plan[kMost];  // ordered by place
  std::uint32_t holds;    // 0: nobody is held
  Hold hold;
  // `follow_log`: make so many choices of the log, and draw all others, each alternative alike, by the seed. 0: the
  // whole log is followed.
  std::uint32_t drawn_from;  // 1 + the number of choices
  // Of what is drawn: a thread goes on for so many operations on average (0 and 1: whose turn it is, is drawn at each
  // operation), and loads read the newest store.
  std::uint32_t drawn_stay;
  std::uint32_t drawn_newest;
  std::uint64_t drawn_seed;
  // 1 + how many choices the channel's log has now, where the tool writes it anew; 0: as when the worker started.
  std::uint32_t log_choices;
  // Values that a thread is made to read, in executions with rules (RunSpec::rules) that record events.
  ThreadId injected_thread;
  std::uint16_t injected_count;
  InjectedValue injected[kMostInjected];

  // Written by the worker.
  std::uint32_t injected_reads;  // events of that thread that read memory, so far
  std::uint32_t overflow;        // more departures than there is room for
  std::uint32_t switches;        // from one thread to another, by choice or not
  std::atomic<std::uint32_t> made_count;
  DepartureMade made[kMost];
  // Departures that could have been made and were not, in the order of their choices; some are left out where
  // there is no room.
  std::uint32_t other_count;
  DepartureMade others[kMost];

  PathQuestion paths;  // RunSpec::follows_paths
};

}  // namespace heddle
