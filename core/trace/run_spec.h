// Everything that makes an execution what it is, besides the program and its input. Plain data: it lies in
// shared memory and in artifacts.
#pragma once

#include <cstdint>

#include "core/trace/enforcement.h"
#include "core/trace/visible_places.h"

namespace heddle {

enum class ModelKind : std::uint8_t { kCxx20 = 0, kC11Tester, kSc, kCxx20Words };
enum class VolatileKind : std::uint8_t { kRelaxed = 0, kAcqRel, kPlain };
enum class PruneKind : std::uint8_t { kWindow = 0, kConservative, kAggressive, kNever };
// How the next execution comes to the state of the first choice.
enum class RepetitionKind : std::uint8_t {
  kAuto = 0,
  kFork,   // in a new process each
  kCopy,   // many in one process, all of its memory copied back
  kTrack,  // many in one process, written pages copied back
};
// When the sleep of a thread may end, as the others see it.
enum class SleepKind : std::uint8_t {
  kFree = 0,  // at any moment: sleeping orders nothing
  kTimed,     // at its time: what others can do meanwhile, they have done
};
inline constexpr unsigned kMaxTrustedLibraries = 16;
// Which plain accesses are events, where events are recorded.
enum class PlainEvents : std::uint8_t {
  kNone = 0,
  kFindShared,  // none; what several threads touch is noted in the channel's granules
  kShared,      // those to the channel's granules
};
enum class ReplayKind : std::uint8_t { kNone = 0, kExact, kGuided, kPlan };

struct RunSpec {
  std::uint64_t seed = 0;
  std::uint64_t max_steps = 10'000'000;     // visible operations before fair mode and the cut
  std::uint64_t stagnation_steps = 20'000;  // visible operations without any change before fair mode is tried
  std::uint64_t timeout_ns = 10'000'000'000;  // wall time of one execution
  std::uint64_t memory_limit = 512ull << 20;  // bound on the execution graph
  std::uint64_t prune_window = 0;             // 0: what fits memory_limit
  std::uint64_t address_space_limit = 0;      // bytes of the program's heap, 0: no limit
  ModelKind model = ModelKind::kCxx20;
  VolatileKind volatile_kind = VolatileKind::kRelaxed;
  PruneKind prune = PruneKind::kWindow;
  ReplayKind replay = ReplayKind::kNone;
  std::uint8_t record_events = 0;
  std::uint8_t halt_on_first_race = 0;
  std::uint8_t verify = 0;  // every execution records events, for --verify-determinism
  RepetitionKind repetition = RepetitionKind::kAuto;
  std::uint32_t max_spurious = 4;    // spurious failures and wake-ups in one execution
  char strategy[192] = "random";     // as on the command line: name[:k=v,…]
  char trusted_libraries[512] = "";  // templates of --trust-library, one in each line
  SleepKind sleep = SleepKind::kFree;
  // Accesses to shared program elements as scheduling points: bits of core/trace/element_plan.h.
  std::uint8_t element_points = 0;
  VisiblePlaces visible;  // plain accesses that are scheduling points, too
  // For explanations; no artifact has these.
  PlainEvents plain_events = PlainEvents::kNone;
  std::uint8_t symbolic = 0;      // write a symbolic trace
  std::uint8_t fresh_memory = 0;  // freed memory is never handed out again: an address names one block
  std::uint8_t path_trace = 0;    // the symbolic trace has every step of each thread's path
  std::uint8_t run_on = 0;        // after a failure of one thread the others go on for a while, in turns
  std::uint8_t rule_count = 0;
  EnforcedRule rules[kMostRules];
};

}  // namespace heddle
