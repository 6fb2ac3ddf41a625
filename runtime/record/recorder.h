// The recorder of native runs: what HEDDLE_RECORD asks for. No engine is there: real threads, real time.
//
// It starts before any code of the program runs, and costs nothing where it is not asked for. Everything that
// it writes is in the log's file at once (log_file.h).
#pragma once

#include <cstdint>

#include "core/record/modes.h"
#include "runtime/record/log_file.h"
#include "runtime/record/path_log.h"
#include "runtime/record/threads.h"

namespace heddle::record {

class Recorder {
 public:
  // What __heddle_mode has to be: kNative where nothing is to be recorded, or cannot be (which is said on
  // standard error). `arguments`, `environment`: as the kernel gave them.
  Mode start(const char* const* arguments, const char* const* environment);

  bool is_on() const { return mode_ != Mode::kNative; }
  Mode mode() const { return mode_; }
  LogFile& file() { return file_; }
  PathLog& paths() { return paths_; }
  const Options& options() const { return options_; }

  // The name of the thread that `parent` creates next, and its number in this log.
  ThreadIdentity next_child(ThreadIdentity& parent);

  // How the run ends. The first failure is the one that counts; an exit is what is left otherwise.
  void exits(int status);
  void asserts(const char* expression, const char* file, unsigned line, const char* function,
               std::uint32_t thread);
  // `caller`: the innermost code of the program's own that led to it, 0 where that is not known.
  void aborts(std::uint64_t caller, std::uint32_t thread);
  void crashes(int signal, std::uint64_t address, std::uint32_t thread);
  // Nothing of the program runs after this.
  void finish();
  // The log ends before the program does; why, and what to do about it, is said on standard error.
  void cut_off(const char* why, const char* advice);
  // In a forked child: the log is the parent's.
  void leave_to_parent() { mode_ = Mode::kNative; }

 private:
  Outcome* claim_outcome();

  Mode mode_ = Mode::kNative;
  Options options_;
  LogFile file_;
  PathLog paths_;
  std::uint32_t outcome_claimed_ = 0;
  std::uint32_t finished_ = 0;
};

}  // namespace heddle::record
