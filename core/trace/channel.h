// The shared memory between the tool and one worker: everything that crosses the border between the two.
//
// The tool makes a memfd, lays it out with Channel::initialise, puts the RunSpec in it and starts the program
// with the descriptor's number in HEDDLE_CHANNEL. The runtime maps it and writes results as it goes, so that
// whatever happened up to a crash or a kill is there for the tool to read.
//
//   ChannelHeader | Choice[] | Event[] | StackDepot | Finding[] | text | ExecutionResult ring | modules |
//   Granule[] | symbolic trace | OrderTable
//
// Choices, events, findings and text belong to the execution under way and are reset when the next one
// starts; stacks, modules and outcomes stay for the life of the worker.
//
// Thread-safety: one writer (whichever process of the worker runs) and one reader (the tool). The ring's
// indices are atomic; all else is read after the result that covers it was published, or after the writer has
// died.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/trace/asked_variables.h"
#include "core/trace/choice.h"
#include "core/trace/event_kinds.h"
#include "core/trace/finding.h"
#include "core/trace/granules.h"
#include "core/trace/index_claims.h"
#include "core/trace/learning.h"
#include "core/trace/orders.h"
#include "core/trace/run_spec.h"
#include "core/trace/shared_outside.h"
#include "core/trace/stack_depot.h"
#include "core/trace/stack_place.h"
#include "core/trace/symbolic.h"

namespace heddle {

inline constexpr std::uint64_t kChannelMagic = 0x6c6564646568000aull;  // "heddl", version 10
inline constexpr const char* kChannelVariable = "HEDDLE_CHANNEL";      // descriptor number, decimal
inline constexpr std::uint32_t kMaxModules = 256;
inline constexpr std::uint32_t kMaxOutcomes = 4096;  // distinct outcome strings per worker
inline constexpr std::uint32_t kOutcomesPerExecution = 6;
inline constexpr std::uint32_t kMoreSignatures = 3;

enum class ChannelMode : std::uint32_t {
  kSingle = 0,    // run one execution in the started process itself (replay, confirm)
  kCampaign = 1,  // become a zygote at the first choice and run executions until told to stop
};

enum class WorkerState : std::uint32_t {
  kStarting = 0,  // before the runtime has attached
  kPrefix = 1,    // running up to the first choice
  kZygote = 2,    // forking executions
  kFinished = 3,  // ended in order
};

// How an execution ended.
enum class Ending : std::uint8_t {
  kRunning = 0,
  kExited = 1,     // exit status in `status`
  kFinding = 2,    // stopped by a finding
  kSignalled = 3,  // died by signal `status`, without our handler having seen it (SIGKILL, out of memory)
  kTimedOut = 4,
  kCut = 5,       // step bound reached while still making progress; no bug
  kDiverged = 6,  // exact replay met other alternatives than the log's
  kUnsupported =
      7,  // a call that is not supported, or (result_flags::kLimit) a limit of ours; message in text
  kInternalError = 8,
  kRedundant = 9,  // the strategy broke it off: it would have repeated another one
  kInfeasible =
      10,  // the orders that it was held to cannot be kept; divergence_choice: the one that was stuck
};

// How far a worker has come with the execution that it holds (IndexClaims). Written by the process that runs
// executions, so that whoever finds it dead knows what is left to do, and does it.
enum class Phase : std::uint32_t {
  kIdle = 0,        // it holds none
  kTaking = 1,      // it may hold one
  kTaken = 2,       // waits for others
  kPreparing = 3,   // the strategy decides on it, or waits for the tool to do so
  kReady = 4,       // it may begin, or is under way
  kFinishing = 5,   // over: the result is in the channel, and is being noted for later executions
  kCounting = 6,    // over: the result is being counted
  kPublishing = 7,  // over: the result goes into the ring, unless it is there
};

inline constexpr std::uint32_t kNoMember = ~0u;

struct ExecutionResult {
  std::uint64_t index = 0;
  std::uint64_t trace_hash = 0;  // over every visible operation and choice: equal runs have equal hashes
  std::uint64_t steps = 0;       // visible operations
  std::uint64_t signature = 0;   // of the first finding of severity bug, 0: none
  std::uint64_t more_signatures[kMoreSignatures] = {};  // of further, different ones
  std::uint32_t choices = 0;
  std::uint32_t events = 0;
  std::uint32_t duration_us = 0;
  std::int32_t status = 0;
  std::uint32_t outcomes[kOutcomesPerExecution] = {};  // 1 + index into outcome_text, 0: none
  std::uint16_t threads = 0;
  std::uint8_t findings = 0;
  Ending ending = Ending::kRunning;
  std::uint32_t flags = 0;
  std::uint32_t divergence_choice = 0;  // kDiverged: index into the log
  std::uint32_t message = 0;            // offset into text, 0: none
  // What the strategy tells of it, for those that come later (core/trace/learning.h).
  std::uint32_t counted_events = 0;  // operations while there was more than one thread; 0: not counted
  std::uint32_t communications = 0;  // of these, communication events
  std::uint32_t member = kNoMember;  // of a portfolio
  std::uint64_t fingerprint = 0;     // of who read what, whatever the order of independent operations
};
static_assert(sizeof(ExecutionResult) == 136);

namespace result_flags {
inline constexpr std::uint32_t kChoiceLogOverflow = 1;
inline constexpr std::uint32_t kEventOverflow = 2;
inline constexpr std::uint32_t kPruned = 4;    // candidates were dropped by the window
inline constexpr std::uint32_t kNoChoice = 8;  // the program ended before its first choice
inline constexpr std::uint32_t kFairMode = 16;
inline constexpr std::uint32_t kPlacesRefused =
    32;  // a place in S was not offered: too little was known of it
inline constexpr std::uint32_t kNoRaceDetection = 64;  // no address space for the shadow
inline constexpr std::uint32_t kChoicesHeld = 128;     // the choices stay in the channel until this was read
// What lies outside the choices, and can matter all the same.
inline constexpr std::uint32_t kChildProcess = 256;     // one was started: it runs natively
inline constexpr std::uint32_t kOtherProcess = 512;     // it waited for others for real
inline constexpr std::uint32_t kChangedOutside = 1024;  // files, addresses: SharedOutside::what
inline constexpr std::uint32_t kForeignThread = 2048;   // ran code that was not built by heddle, and no other
inline constexpr std::uint32_t kConnected = 4096;       // to an address at which another process may be
// Flags of executions that may go another way the next time.
inline constexpr std::uint32_t kNotRepeatable = kChildProcess | kOtherProcess;
inline constexpr std::uint32_t kLimit = 8192;  // kUnsupported: a limit of heddle's own was reached
}  // namespace result_flags

// Where an execution was when its time was up, as far as it can be known from outside.
struct StuckPlace {
  std::uint64_t index = 0;  // the execution
  std::uint32_t thread = 0;
  std::int32_t system_call = -1;  // it was blocked in this one; -1: it was running
  std::uint64_t argument = 0;     // the first argument of that system call
  std::uint32_t known = 0;        // the fields below were filled in
  std::uint32_t progressed = 0;   // it still performed visible operations
  std::uint64_t pc = 0;
  std::uint64_t last_pc = 0;  // latest place in instrumented code
  char place[232] = {};       // the module of pc, and its offset there
};

struct Module {
  std::uint64_t base = 0;   // load bias
  std::uint64_t begin = 0;  // first and one-past-last mapped address
  std::uint64_t end = 0;
  std::uint8_t build_id[20] = {};
  std::uint8_t build_id_size = 0;
  std::uint8_t padding[3] = {};
  std::uint32_t path = 0;  // offset into module_text
};

struct Section {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// How a worker repeats executions, for those who want to know why it is fast or slow.
struct RepetitionReport {
  std::uint64_t executions = 0;
  std::uint32_t processes = 0;
  std::uint32_t executions_of_process = 0;  // of the latest one
  std::int32_t system_call = -1;            // the latest that made a new process necessary
  RepetitionKind kind = RepetitionKind::kAuto;
  char why[91] = {};  // why executions are forked where that was not asked for

  void set_why(const char* text) {
    std::uint32_t i = 0;
    for (; text[i] != 0 && i + 1 < sizeof why; ++i) why[i] = text[i];
    why[i] = 0;
  }
};

struct ChannelHeader {
  std::uint64_t magic = 0;
  std::uint64_t bytes = 0;  // the whole channel
  Section choices, events, stacks, findings, text, ring, module_text, outcome_text, replay, granules,
      symbolic, orders;
  RunSpec spec;
  ChannelMode mode = ChannelMode::kSingle;

  // Written by the tool, read by the zygote.
  std::atomic<std::uint32_t> stop{0};
  std::int32_t output_fd = -1;     // memfd that takes the program's standard output and error; -1: leave them
  std::int32_t campaign_fd = -1;   // shared CampaignState; -1 in single mode
  std::uint64_t single_index = 0;  // kSingle: which execution's choices to make
  std::uint32_t worker = 0;        // its number among the workers of the campaign
  std::uint32_t replay_count = 0;  // choices in the replay section
  std::uint32_t end_after_event = ~0u;  // of an execution with events: go no further
  std::uint32_t pause_at_event = ~0u;   // stop the process before this event

  // Written by the runtime.
  std::atomic<WorkerState> state{WorkerState::kStarting};
  std::atomic<std::uint32_t> execution_pid{0};
  // The tool sets these, too, for a worker that goes on where another one died.
  std::atomic<Phase> phase{Phase::kIdle};
  std::atomic<std::uint32_t> deaths{0};  // of processes that were killed from outside with the execution held
  std::atomic<std::uint64_t> done{0};    // one more than the latest index that was published
  std::atomic<std::uint64_t> execution_began{0};  // monotonic nanoseconds; 0: none is under way
  std::uint32_t most_threads = 0;                 // of any execution
  RepetitionReport repetition;
  ExecutionResult current;                     // the execution under way
  std::atomic<std::uint32_t> choice_count{0};  // of all; those beyond the section's capacity are not kept
  std::atomic<std::uint32_t> event_count{0};
  std::atomic<std::uint32_t> finding_count{0};
  std::atomic<std::uint32_t> text_used{1};
  std::uint32_t module_count = 0;
  std::uint32_t module_text_used = 1;
  std::uint32_t outcome_count = 0;
  std::uint32_t outcome_text_used = 1;
  std::uint32_t outcome_at[kMaxOutcomes] = {};  // offsets into outcome_text
  Module modules[kMaxModules];
  std::uint64_t main_stack_address =
      0;  // addresses whose movement can break replay; compared and named by the tool
  std::uint64_t heap_address = 0;
  std::uint64_t program_address = 0;
  AskedVariables asked;
  std::uint32_t trusted_matched = 0;    // by template of RunSpec::trusted_libraries: a library matched it
  StuckPlace stuck;                     // of the latest execution that ran out of time
  std::uint32_t stack_place_count = 0;  // of an execution with events
  StackPlace stack_places[kMaxStackPlaces];

  std::atomic<std::uint64_t> ring_written{0};
  std::atomic<std::uint64_t> ring_read{0};
};

// Shared by all workers of a campaign: who runs which execution, and what was learned. The tool constructs
// the first part; the second is valid as it comes from the kernel.
struct CampaignState {
  static constexpr std::uint64_t kMagic = 0x6e67696170006863ull;
  std::uint64_t magic = kMagic;             // by which it is seen that the program wrote over it
  std::atomic<std::uint64_t> limit{~0ull};  // first index not to be run
  std::atomic<std::uint32_t> stop{0};
  std::atomic<std::uint32_t> exhausted{0};  // the strategy has tried every execution that there is
  std::atomic<std::uint32_t> none_left{0};  // it has tried all that it will try
  std::atomic<std::uint32_t> signal{0};     // futex word: bumped when any worker has something to say
  // A process died while the strategy decided, or an execution was killed for good: a search that goes
  // through all executions may have left some out.
  std::atomic<std::uint32_t> torn{0};

  SharedOutside outside{};
  IndexClaims claims{};

  // An execution is over. One that was broken off is none of those that were asked for.
  void count(const ExecutionResult& result) {
    learning().count_completed();
    if (result.ending == Ending::kRedundant && limit.load(std::memory_order_relaxed) != ~0ull)
      limit.fetch_add(1, std::memory_order_relaxed);
  }

  static constexpr std::uint64_t kLearningOffset = 16384;
  static constexpr std::uint64_t kBytes = kLearningOffset + sizeof(Learning);
  Learning& learning() {
    return *reinterpret_cast<Learning*>(reinterpret_cast<char*>(this) + kLearningOffset);
  }
};
static_assert(sizeof(CampaignState) <= CampaignState::kLearningOffset);

struct ChannelSizes {
  std::uint64_t choices = 64ull << 20;  // entries
  std::uint64_t events = 16ull << 20;
  std::uint64_t stack_nodes = 1ull << 20;
  std::uint64_t findings = 64;
  std::uint64_t text = 16ull << 20;
  std::uint64_t ring = 4096;
  std::uint64_t replay = 0;    // entries
  std::uint64_t granules = 0;  // entries
  std::uint64_t symbolic = 0;  // bytes
  std::uint64_t orders = 0;    // bytes
};

// A view of a mapped channel. All sections are sparse until written.
class Channel {
 public:
  Channel() = default;
  explicit Channel(void* mapping) : header_(static_cast<ChannelHeader*>(mapping)) {}

  static std::uint64_t bytes_needed(const ChannelSizes& sizes);
  // REQUIRES: `mapping` has bytes_needed(sizes) zero bytes.
  static Channel initialise(void* mapping, const ChannelSizes& sizes);
  // Does the mapping of `bytes` hold a channel of this version with sections inside its bounds?
  static bool valid(const void* mapping, std::uint64_t bytes);

  explicit operator bool() const { return header_ != nullptr; }
  ChannelHeader* header() const { return header_; }
  Choice* choices() const { return at<Choice>(header_->choices); }
  std::uint32_t choice_capacity() const { return capacity<Choice>(header_->choices); }
  Granules granules() const { return Granules(granule_table()); }
  std::span<Granule> granule_table() const {
    return {at<Granule>(header_->granules), capacity<Granule>(header_->granules)};
  }
  void* symbolic() const { return at<char>(header_->symbolic); }
  // nullptr: the execution is held to none.
  OrderTable* orders() const {
    return header_->orders.bytes != 0 ? reinterpret_cast<OrderTable*>(at<char>(header_->orders)) : nullptr;
  }
  Choice* replay() const { return at<Choice>(header_->replay); }
  Event* events() const { return at<Event>(header_->events); }
  std::uint32_t event_capacity() const {
    return static_cast<std::uint32_t>(header_->events.bytes / kEventBytes);
  }
  StackDepot* stacks() const { return at<StackDepot>(header_->stacks); }
  Finding* findings() const { return at<Finding>(header_->findings); }
  std::uint32_t finding_capacity() const { return capacity<Finding>(header_->findings); }
  char* text() const { return at<char>(header_->text); }
  char* module_text() const { return at<char>(header_->module_text); }
  char* outcome_text() const { return at<char>(header_->outcome_text); }
  ExecutionResult* ring() const { return at<ExecutionResult>(header_->ring); }
  std::uint32_t ring_capacity() const { return capacity<ExecutionResult>(header_->ring); }

  // Copies a string into the text section and answers its offset; 0 where there is no room or nothing to say.
  std::uint32_t add_text(const char* text, std::uint64_t length) const;

 private:
  template <typename T>
  T* at(const Section& s) const {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(header_) + s.offset);
  }
  template <typename T>
  static std::uint32_t capacity(const Section& s) {
    return static_cast<std::uint32_t>(s.bytes / sizeof(T));
  }

  ChannelHeader* header_ = nullptr;
};

}  // namespace heddle
