#include "runtime/record/recorder.h"

#include <errno.h>
#include <fcntl.h>

#include <atomic>

#include "core/base/raw_syscall.h"
#include "core/base/text_buffer.h"
#include "core/record/run_identity.h"
#include "runtime/record/element_recorder.h"
#include "runtime/record/identity.h"

namespace heddle::record {
namespace {

const char* variable(const char* const* environment, const char* name) {
  for (; *environment != nullptr; ++environment) {
    const char* at = *environment;
    const char* wanted = name;
    while (*wanted != '\0' && *at == *wanted) ++at, ++wanted;
    if (*wanted == '\0' && *at == '=') return at + 1;
  }
  return nullptr;
}

void complain(const char* setting, const char* what) {
  TextBuffer<1024> text;
  text << "heddle: HEDDLE_RECORD=" << setting << ": " << what << ". Nothing is recorded.\n";
  raw_syscall(SYS_write, 2, text.c_str(), text.size());
}

// Without it all elements would be recorded, which costs more than was asked for.
bool can_read_profile(const Options& options) {
  const char* named = options.find("profile");
  if (named == nullptr || is_word(named, "none")) return true;
  TextBuffer<1024> path;
  for (; *named != '\0' && *named != ','; ++named) path << *named;
  constexpr int kForReading = 4;
  return raw_syscall(SYS_faccessat, AT_FDCWD, path.c_str(), kForReading) == 0;
}

const char* reason_of(long error) {
  switch (-error) {
    case ENOENT:
      return "there is no such directory, nor one in which it could be made";
    case EACCES:
    case EPERM:
      return "this user may not write there";
    case EROFS:
      return "nothing can be written there";
    case ENOTDIR:
      return "that is no directory";
    case ENOSPC:
    case EDQUOT:
      return "there is no room";
    case EFBIG:
      return "files may not be that long: lower limit=";
    case ENOMEM:
      return "there is not enough address space: lower limit=";
    default:
      return nullptr;
  }
}

void set_text(Outcome& outcome, const char* text) {
  for (std::size_t i = 0; text[i] != '\0' && i + 1 < sizeof outcome.text; ++i) outcome.text[i] = text[i];
}

}  // namespace

Mode Recorder::start(const char* const* arguments, const char* const* environment) {
  const char* setting = variable(environment, "HEDDLE_RECORD");
  if (setting == nullptr || *setting == '\0') return Mode::kNative;
  if (const char* wrong = parse_options(setting, options_)) {
    complain(setting, wrong);
    return Mode::kNative;
  }
  if (const char* module = module_of_another_build()) {
    TextBuffer<768> text;
    text << module
         << " was compiled by another version of heddle: build it again with `heddle c++ --full` of this one";
    complain(setting, text.c_str());
    return Mode::kNative;
  }
  if (!can_read_profile(options_)) {
    complain(setting, "the file that profile= names cannot be read");
    return Mode::kNative;
  }
  OwnPath program;
  find_own_path(program);
  long error = 0;
  if (!file_.start(options_, program, error)) {
    TextBuffer<128> text;
    text << "the log cannot be made (";
    if (const char* reason = reason_of(error))
      text << reason << ")";
    else
      text << "error ", text.unsigned_decimal(static_cast<std::uint64_t>(-error)) << ")";
    complain(setting, text.c_str());
    return Mode::kNative;
  }
  LogHeader& header = *file_.header();
  header.build = build_identity(file_);
  header.run = run_identity(arguments, environment);
  header.parts = run_parts(arguments, environment);
  header.threads = 1;
  paths_.start(&file_);
  std::atomic_ref<std::uint64_t>(header.magic).store(kLogMagic, std::memory_order_release);
  mode_ = options_.kind == LogKind::kPath ? Mode::kPath : Mode::kElements;
  return mode_;
}

ThreadIdentity Recorder::next_child(ThreadIdentity& parent) {
  const std::uint32_t number =
      std::atomic_ref<std::uint32_t>(file_.header()->threads).fetch_add(1, std::memory_order_relaxed);
  return {number, parent.number, ++parent.children, 0};
}

Outcome* Recorder::claim_outcome() {
  if (!is_on()) return nullptr;
  const bool is_first = std::atomic_ref<std::uint32_t>(outcome_claimed_).exchange(1) == 0;
  return is_first ? &file_.header()->outcome : nullptr;
}

void Recorder::exits(int status) {
  if (!is_on() || std::atomic_ref<std::uint32_t>(outcome_claimed_).load() != 0) return;
  Outcome& outcome = file_.header()->outcome;
  outcome.status = status & 0xff;
  outcome.kind = OutcomeKind::kExited;
}

void Recorder::asserts(const char* expression, const char* file, unsigned line, const char* function,
                       std::uint32_t thread) {
  Outcome* outcome = claim_outcome();
  if (outcome == nullptr) return;
  TextBuffer<sizeof outcome->text> text;
  text << file << ':';
  text.unsigned_decimal(line) << ": " << (function != nullptr ? function : "?") << ": " << expression;
  set_text(*outcome, text.c_str());
  outcome->thread = thread;
  outcome->kind = OutcomeKind::kAssertion;
}

void Recorder::aborts(std::uint64_t caller, std::uint32_t thread) {
  Outcome* outcome = claim_outcome();
  if (outcome == nullptr) return;
  const char* module = caller != 0 ? module_of(caller, outcome->address) : nullptr;
  set_text(*outcome, module != nullptr ? module : "abort");
  outcome->thread = thread;
  outcome->kind = OutcomeKind::kAborted;
}

void Recorder::crashes(int signal, std::uint64_t address, std::uint32_t thread) {
  Outcome* outcome = claim_outcome();
  if (outcome == nullptr) return;
  const char* module = module_of(address, outcome->address);
  set_text(*outcome, module != nullptr ? module : "?");
  outcome->status = signal;
  outcome->thread = thread;
  outcome->kind = OutcomeKind::kSignal;
}

void Recorder::cut_off(const char* why, const char* advice) {
  TextBuffer<1024> text;
  text << "heddle: HEDDLE_RECORD: " << why << ". " << advice << ". What comes now is not recorded.\n";
  raw_syscall(SYS_write, 2, text.c_str(), text.size());
  file_.header()->truncated = 1;
  stop_element_recorder();
  finish();
}

void Recorder::finish() {
  if (!is_on() || std::atomic_ref<std::uint32_t>(finished_).exchange(1) != 0) return;
  if (mode_ == Mode::kPath) paths_.seal();
  if (mode_ == Mode::kElements) end_element_thread();
  file_.finish();
}

}  // namespace heddle::record
