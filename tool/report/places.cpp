#include "tool/report/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>

#include "tool/findings/fingerprint.h"
#include "tool/report/escape.h"
#include "tool/report/shell_word.h"
#include "tool/trace/stack_view.h"
#include "tool/trace/test_failure.h"

namespace heddle::report {
namespace {

// Everything between `open` and its `close` at the outermost level becomes "…".
std::string collapsed(std::string_view text, char open, char close) {
  std::string kept;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // operator<, operator<<, operator->, operator() are names, not brackets.
    const bool is_name =
        depth == 0 && kept.size() >= 8 &&
        kept.find("operator", kept.size() - 10 < kept.size() ? kept.size() - 10 : 0) != std::string::npos &&
        (kept.ends_with("operator") || kept.ends_with("operator<") || kept.ends_with("operator-") ||
         kept.ends_with("operator("));
    if (c == open && !is_name) {
      if (depth++ == 0) (kept += c) += "…";
    } else if (c == close && !is_name && depth > 0) {
      if (--depth == 0) kept += c;
    } else if (depth == 0) {
      kept += c;
    }
  }
  return kept;
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string PathStyle::shown(std::string_view path) const {
  if (!cwd_.empty() && cwd_ != "/" && path.size() > cwd_.size() + 1 && path.starts_with(cwd_) &&
      path[cwd_.size()] == '/') {
    path.remove_prefix(cwd_.size() + 1);
  } else if (!prefix_.empty()) {
    if (const std::size_t at = path.find(prefix_); at != std::string_view::npos) {
      path.remove_prefix(at + prefix_.size());
    }
  }
  return escaped(path);
}

std::string short_function(std::string_view function, std::size_t width) {
  std::string name = escaped(function);
  if (width_of(name) > width) name = collapsed(name, '<', '>');
  if (width_of(name) > width) name = collapsed(name, '(', ')');
  return clipped(name, width);
}

std::string place_text(const Frame& frame, const PathStyle& paths) {
  if (frame.file.empty()) return {};
  std::string text = paths.shown(frame.file);
  if (frame.line != 0) text += fmt::format(":{}", frame.line);
  if (frame.line != 0 && frame.column != 0) text += fmt::format(":{}", frame.column);
  return text;
}

std::string thread_tag(ThreadId thread) {
  return thread == kNoThread ? "T?" : fmt::format("T{}", index_of(thread));
}

std::string thread_title(const Trace& trace, ThreadId thread) {
  const std::string function = thread == kMainThread ? "main" : thread_function(trace, thread);
  return function.empty() ? thread_tag(thread)
                          : fmt::format("{} {}", thread_tag(thread), short_function(function, 40));
}

std::string short_place(const Trace& trace, std::uint64_t pc, StackId stack) {
  constexpr std::size_t kFunctionWidth = 20;
  const std::vector<Frame> frames = visible_frames(trace, pc, stack);
  const Frame* frame = deciding_frame(frames);
  if (frame == nullptr) return {};
  if (frame->file.empty()) return short_function(frame->function, kFunctionWidth);
  const std::string file = escaped(base_name(frame->file));
  return frame->line != 0 ? fmt::format("{}:{}", file, frame->line) : file;
}

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string thread_text(ThreadId thread) {
  if (thread == kMainThread) return "main thread";
  return thread == kNoThread ? "an unknown thread" : "thread " + thread_tag(thread);
}

std::vector<const TracePart*> telling_parts(const TraceFinding& finding) {
  std::vector<const TracePart*> parts = deciding_parts(finding);
  const bool after_free =
      finding.kind == FindingKind::kHeapUseAfterFree || finding.kind == FindingKind::kDoubleFree;
  for (const TracePart& part : finding.parts) {
    if ((part.role == PartRole::kFreed && after_free) || part.role == PartRole::kThreadEnded)
      parts.push_back(&part);
  }
  return parts;
}

namespace {

// ", freed at queue.cpp:12 by T2": where the storage ended that was used afterwards.
std::string storage_end(const Trace& trace, const TraceFinding& finding) {
  for (const TracePart* part : telling_parts(finding)) {
    if (part->role == PartRole::kThreadEnded)
      return fmt::format(", after {} had ended", thread_tag(part->thread));
    if (part->role != PartRole::kFreed) continue;
    const std::string place = short_place(trace, part->pc, part->stack);
    return fmt::format(", freed{} by {}", place.empty() ? "" : " at " + place, thread_tag(part->thread));
  }
  return {};
}

}  // namespace

std::string finding_summary(const Trace& trace, const TraceFinding& finding, const PathStyle& paths) {
  std::string text = to_string(finding.kind);
  if (finding.kind == FindingKind::kNonZeroExit) text += fmt::format(" {}", finding.exit_status);
  if (finding.kind == FindingKind::kSignal) text += " " + signal_name(finding.signal);
  if (finding.kind == FindingKind::kTestFailure) {
    const auto failure = first_test_failure(trace.output);
    if (failure && failure->line != 0) {
      const std::string known = source_file_of(*failure, trace.symbols);
      text += fmt::format(" {}:{}", paths.shown(known.empty() ? failure->file : known), failure->line);
    }
    if (failure && !failure->test.empty()) text += " in " + escaped(failure->test);
    return text;
  }
  // Where a history was judged says nothing about it; its first line names the object and the operation.
  if (finding.kind == FindingKind::kNotLinearizable && !finding.message.empty())
    return text + ": " + clipped(escaped(finding.message.substr(0, finding.message.find('\n'))), 120);
  for (const TracePart* part : deciding_parts(finding)) {
    const std::vector<Frame> frames = visible_frames(trace, part->pc, part->stack);
    const Frame* frame = deciding_frame(frames);
    if (frame == nullptr) continue;
    const std::string place = place_text(*frame, paths);
    if (!place.empty()) {
      text += " " + place;
    } else if (!frame->module.empty()) {
      text += fmt::format(" ({}+{:#x})", paths.shown(frame->module), frame->offset);
    }
    if (!frame->function.empty()) text += " in " + short_function(frame->function, 70);
    return text + storage_end(trace, finding);
  }
  if (!finding.message.empty()) text += ": " + clipped(escaped(finding.message), 120);
  return text;
}

int urgency_of(FindingKind kind) {
  if (severity_of(kind) == Severity::kWarning) return 5;
  switch (manner_of(kind)) {
    case Manner::kFault:
      return 0;
    case Manner::kAbort:
    case Manner::kExit:
      return 1;
    case Manner::kHang:
      return 2;
    case Manner::kOther:
      break;
  }
  if (kind == FindingKind::kStackUseAfterEnd || kind == FindingKind::kThreadLocalUseAfterEnd) return 0;
  if (kind == FindingKind::kNotLinearizable) return 1;
  return kind == FindingKind::kDataRace ? 4 : 3;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string percent_text(double share) {
  if (share <= 0) return "0 %";
  if (share < 0.0001) return "under 0.01 %";
  return fmt::format("{:.{}f} %", share * 100, share < 0.00995 ? 2 : share < 0.0995 ? 1 : 0);
}

std::vector<std::string> consequence_lines(const RaceFollowUp& follow_up) {
  std::vector<std::string> lines;
  if (follow_up.executions == 0) return lines;
  const std::string of =
      fmt::format("{} executions with its accesses as choices", grouped(follow_up.executions));
  for (const RaceConsequence& found : follow_up.found) {
    const double share = static_cast<double>(found.count) / static_cast<double>(follow_up.executions);
    lines.push_back(fmt::format("{}, in {} of {}", escaped(found.summary), percent_text(share), of));
  }
  if (follow_up.timed_out != 0)
    lines.push_back(fmt::format("executions that run on without an end, {} of {}", follow_up.timed_out, of));
  if (lines.empty())
    lines.push_back(fmt::format("nothing else was seen in {}{}, which is no promise", of,
                                follow_up.complete ? "" : ", before the time was up"));
  return lines;
}

std::string consequence_sentences(const RaceFollowUp& follow_up) {
  const bool found = !follow_up.found.empty() || follow_up.timed_out != 0;
  std::string text;
  for (const std::string& line : consequence_lines(follow_up))
    text += found ? " It leads to: " + line + "." : " " + capitalised(line) + ".";
  return text;
}

std::vector<std::string> leads_to_lines(const RaceFollowUp& follow_up) {
  std::vector<std::string> lines;
  const std::vector<std::string> words = consequence_lines(follow_up);
  if (words.empty()) return lines;
  lines.push_back("leads to: " + words.front());
  if (!follow_up.found.empty() && !follow_up.found.front().artifact.empty())
    lines.push_back("          heddle replay " + path_word(follow_up.found.front().artifact));
  if (words.size() > 1)
    lines.push_back(fmt::format("          and to {} other{}; the summary and --json have them",
                                words.size() - 1, words.size() == 2 ? "" : "s"));
  return lines;
}

const char* order_name(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::kRelaxed:
      return "relaxed";
    case MemoryOrder::kConsume:
      return "consume";
    case MemoryOrder::kAcquire:
      return "acquire";
    case MemoryOrder::kRelease:
      return "release";
    case MemoryOrder::kAcqRel:
      return "acq_rel";
    case MemoryOrder::kSeqCst:
      return "seq_cst";
  }
  return "?";
}

const char* ending_name(Ending ending) {
  switch (ending) {
    case Ending::kRunning:
      return "unfinished";
    case Ending::kExited:
      return "exited";
    case Ending::kFinding:
      return "stopped by a finding";
    case Ending::kSignalled:
      return "killed";
    case Ending::kTimedOut:
      return "timed out";
    case Ending::kCut:
      return "cut";
    case Ending::kDiverged:
      return "diverged";
    case Ending::kUnsupported:
      return "unsupported call";
    case Ending::kInternalError:
      return "internal error";
    case Ending::kRedundant:
      return "broken off";
    case Ending::kInfeasible:
      return "infeasible";
  }
  return "?";
}

std::string ending_key(Ending ending) {
  std::string key = ending_name(ending);
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

const char* role_name(PartRole role) {
  switch (role) {
    case PartRole::kHere:
      return "here";
    case PartRole::kAccess:
      return "access";
    case PartRole::kPreviousAccess:
      return "previous access";
    case PartRole::kBlockedThread:
      return "blocked";
    case PartRole::kHolds:
      return "holds";
    case PartRole::kWaits:
      return "waits";
    case PartRole::kThreadCreated:
      return "thread created";
    case PartRole::kAllocated:
      return "allocated";
    case PartRole::kFreed:
      return "freed";
    case PartRole::kRunningThread:
      return "running";
    case PartRole::kLocation:
      return "location";
    case PartRole::kInitialised:
      return "initialised";
    case PartRole::kDestroyed:
      return "destroyed";
    case PartRole::kNotified:
      return "notified";
    case PartRole::kSettled:
      return "joined or detached";
    case PartRole::kThroughLibrary:
      return "through library";
    case PartRole::kThreadEnded:
      return "thread ended";
  }
  return "?";
}

std::string library_advice(const std::string& library) {
  const std::size_t begin = library.rfind("lib", 0) == 0 ? 3 : 0;
  const std::size_t end = std::min(library.find(".so"), library.size());
  return fmt::format("If it hands data between threads, run with --trust-library {}.",
                     end > begin ? library.substr(begin, end - begin) : library);
}

const char* model_name(ModelKind model) {
  switch (model) {
    case ModelKind::kCxx20:
      return "c++20";
    case ModelKind::kC11Tester:
      return "c11tester";
    case ModelKind::kSc:
      return "sc";
    case ModelKind::kCxx20Words:
      return "c++20-words";
  }
  return "?";
}

std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace heddle::report
