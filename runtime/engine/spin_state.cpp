#include "runtime/engine/spin_state.h"

#include <unwind.h>

#include <initializer_list>

#include "core/base/random.h"
#include "runtime/engine/own_code.h"

namespace heddle::engine {
namespace {

// A counter may lie in a caller's frame. Of a very deep stack the innermost part is looked at.
constexpr std::uint64_t kMostStack = 64 * 1024;
// On a stack that is not the thread's own (a coroutine's, a signal handler's) so much is known to be there.
constexpr std::uint64_t kStackElsewhere = 512;

// The words that times are made of: of the latest ones, and behind them of the first one in each of the
// latest seconds. What a program does only when a second begins (a carry) leaves a word behind that is older
// than the latest times. Outside the Execution: it is told by who knows of none.
constexpr std::uint32_t kTimes = 16, kSeconds = 16, kWords = 7;
constexpr std::uint32_t kSecondsWord = 3;
struct NotedTimes {
  std::uint64_t words[kTimes + kSeconds][kWords] = {};
  std::uint32_t count = 0;
  std::uint32_t seconds = 0;
};
constinit NotedTimes times;

bool is_new_second(std::uint64_t seconds) {
  for (std::uint32_t i = kTimes; i < kTimes + kSeconds; ++i) {
    if (times.words[i][kSecondsWord] == seconds) return false;
  }
  return true;
}

struct Walk {
  std::uint64_t stack_end = 0;
  TimeFilter filter;
  PrivateState state;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const std::uint64_t pc = _Unwind_GetIP(context);
  if (is_own_code(pc)) return _URC_NO_REASON;
  // While a frame is visited its "canonical frame address" is that of the frame that it has called, which is
  // its own stack pointer.
  const std::uint64_t from = _Unwind_GetCFA(context);
  std::uint64_t hash = mix(pc, from);
  for (const int callee_saved : {3, 6, 12, 13, 14, 15})
    hash = mix(hash, walk.filter.but_for_time(_Unwind_GetGR(context, callee_saved)));
  const bool is_own_stack = from < walk.stack_end && walk.stack_end - from < (1ull << 30);
  std::uint64_t bytes = is_own_stack ? walk.stack_end - from : kStackElsewhere;
  if (bytes > kMostStack) bytes = kMostStack;
  const auto* words = reinterpret_cast<const std::uint64_t*>(from);
  for (std::uint64_t i = 0; i < bytes / 8; ++i) {
    hash = (hash ^ walk.filter.but_for_time(words[i])) * 0xff51afd7ed558ccdull;
    hash ^= hash >> 32;
  }
  walk.state = {from, hash};
  return _URC_END_OF_STACK;
}

}  // namespace

TimeFilter::TimeFilter() {
  for (const auto& time : times.words) {
    for (const std::uint64_t word : time) bits_[hash(word) / 64] |= 1ull << hash(word) % 64;
  }
}

bool TimeFilter::is_time(std::uint64_t word) {
  for (const auto& time : times.words) {
    for (const std::uint64_t known : time) {
      if (known == word) return true;
    }
  }
  return false;
}

void note_time(std::uint64_t nanoseconds) {
  constexpr std::uint64_t kThousand = 1000, kMillion = 1'000'000, kSecond = 1'000'000'000;
  const std::uint64_t rest = nanoseconds % kSecond;
  // (A sum of two times has more nanoseconds than a second, before its carry is taken.)
  auto& time = times.words[times.count++ % kTimes];
  std::uint32_t at = 0;
  for (const std::uint64_t word : {nanoseconds, nanoseconds / kThousand, nanoseconds / kMillion,
                                   nanoseconds / kSecond, rest, rest / kThousand, rest + kSecond})
    time[at++] = word;
  if (is_new_second(time[kSecondsWord]))
    memcpy(times.words[kTimes + times.seconds++ % kSeconds], time, sizeof time);
}

PrivateState private_state(std::uint64_t stack_end) {
  Walk walk;
  walk.stack_end = stack_end;
  _Unwind_Backtrace(visit, &walk);
  return walk.state;
}

}  // namespace heddle::engine
