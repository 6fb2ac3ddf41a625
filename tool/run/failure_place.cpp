#include "tool/run/failure_place.h"

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tool/findings/fingerprint.h"
#include "tool/symbols/symboliser.h"
#include "tool/trace/stack_view.h"

namespace heddle::run {
namespace {

// 11 of "SIGSEGV at program+0x1234", as logs have it, and of "signal 11"; 0: it is no signal.
int signal_of(const std::string& place) {
  if (place.starts_with("signal ")) return std::atoi(place.c_str() + sizeof "signal");
  if (!place.starts_with("SIG")) return 0;
  const std::string name = place.substr(3, place.find(' ') - 3);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (const char* known = sigabbrev_np(signal); known != nullptr && name == known) return signal;
  }
  return std::atoi(name.c_str());
}

// "queue.cpp:41" of "assertion queue.cpp:41" and "assertion /src/queue.cpp:41: pop: …"; empty: none.
std::string file_and_line(const std::string& place) {
  for (std::size_t colon = place.find(':'); colon != std::string::npos; colon = place.find(':', colon + 1)) {
    std::size_t end = colon + 1;
    while (end < place.size() && place[end] >= '0' && place[end] <= '9') ++end;
    if (end == colon + 1) continue;
    const std::size_t begin = place.find_last_of("/ ", colon);
    const std::size_t first = begin == std::string::npos ? 0 : begin + 1;
    return place.substr(first, end - first);
  }
  return {};
}

// The place of the code that "aborted at program+0x1234" or "SIGSEGV at program+0x1234" names by the offset in
// its module.
std::string line_of_code(const Trace& trace, const std::string& place) {
  constexpr std::string_view kBefore = " at ";
  const std::size_t at = place.find(kBefore);
  const std::size_t plus = place.rfind("+0x");
  if (at == std::string::npos || plus == std::string::npos || plus < at) return {};
  const std::string name = place.substr(at + kBefore.size(), plus - at - kBefore.size());
  const std::uint64_t offset = std::strtoull(place.c_str() + plus + 1, nullptr, 16);
  for (const TraceModule& module : trace.modules) {
    if (module.path.substr(module.path.rfind('/') + 1) != name) continue;
    Symboliser symboliser({module});
    const Frame& frame = symboliser.frames(module.base + offset + 1).front();
    if (frame.line == 0) return {};
    return frame.file.substr(frame.file.rfind('/') + 1) + ":" + std::to_string(frame.line);
  }
  return {};
}

// malloc looks at its own data, and aborts where it finds them damaged. Under the engine the use of memory that is
// gone, or the second free, ends the execution before that.
bool damages_heap(FindingKind kind) {
  return kind == FindingKind::kHeapUseAfterFree || kind == FindingKind::kDoubleFree ||
         kind == FindingKind::kInvalidFree;
}

}  // namespace

bool is_kind_of_failure(FindingKind kind, const std::string& place) {
  if (severity_of(kind) != Severity::kBug || kind == FindingKind::kDataRace) return false;
  const Manner manner = manner_of(kind);
  if (place.empty()) return manner == Manner::kHang;
  if (place.starts_with("assertion")) return manner == Manner::kAbort;
  if (place.starts_with("abort")) return manner == Manner::kAbort || damages_heap(kind);
  if (const int signal = signal_of(place); signal != 0) {
    if (signal == SIGABRT) return manner == Manner::kAbort;
    // From a watchdog, or from whoever lost patience.
    if (signal == SIGALRM || signal == SIGTERM || signal == SIGINT || signal == SIGQUIT)
      return manner == Manner::kHang;
    return manner == Manner::kFault;
  }
  if (place.starts_with("exit")) return manner == Manner::kExit;
  return manner != Manner::kHang;
}

bool is_failure_at(const Trace& trace, const TraceFinding& finding, const std::string& place) {
  if (!is_kind_of_failure(finding.kind, place)) return false;
  std::string wanted = file_and_line(place);
  // (Where an exception was thrown that nobody caught is not in the finding's stack.)
  // Nor does memory that is gone have to fault natively where it was first used.
  const Manner manner = manner_of(finding.kind);
  if (wanted.empty() && (finding.kind == FindingKind::kAbort || finding.kind == FindingKind::kSignal))
    wanted = line_of_code(trace, place);
  if (wanted.empty() || manner == Manner::kHang) return true;
  bool knows_lines = false;
  for (const TracePart* part : deciding_parts(finding)) {
    for (const Frame& frame : visible_frames(trace, part->pc, part->stack)) {
      if (frame.line == 0) continue;
      knows_lines = true;
      const std::string file = frame.file.substr(frame.file.rfind('/') + 1);
      if (file + ":" + std::to_string(frame.line) == wanted) return true;
    }
  }
  return !knows_lines;
}

}  // namespace heddle::run
