// Compares the path of each thread with the one that a log has for it (core/trace/path_question.h), step by step.
//
// Owns: how far each thread has come, in memory of this process, so that it is put back with everything else before the
// next execution; the tool reads a copy in the question.
// Invariant: a thread that has left its path, or has come to the end of it, is not compared any more.
// Called by the symbolic bodies' hooks, in executions that are asked for it (RunSpec::follows_paths).
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/channel.h"
#include "core/trace/path_question.h"

namespace heddle::symbolic {

class PathFollower {
 public:
  // Who makes a step, and how many choices have been made by then.
  struct Who {
    ThreadId thread = kMainThread;
    ThreadId parent = kNoThread;
    std::uint32_t child = 0;  // its number among the parent's children
    std::uint32_t choices = 0;
  };

  void start(PathQuestion* question) { question_ = question; }
  void step(const Who& who, std::uint64_t place, std::uint8_t kind, std::uint64_t outcome);
  // An indirect call is made; who is entered next is its callee, unless it returns first.
  void call(ThreadId thread, std::uint64_t place) { threads_[index_of(thread)].indirect_call = place; }
  void entered(const Who& who, std::uint64_t function);

 private:
  static constexpr std::uint32_t kUnknown = 0, kNone = ~0u;
  struct Thread {
    std::uint32_t path;      // 1 + its number; kNone: the log has none, or it is not compared any more
    std::uint32_t position;  // steps that were made
    std::uint64_t indirect_call;
  };

  std::uint32_t path_of(const Who& who) const;
  // Where a thread is that makes this step; kNone: off its path.
  std::uint32_t after(const PathQuestion::Path& path, std::uint32_t position, std::uint64_t bits) const;
  void leave(Thread& thread, std::uint32_t choices);

  PathQuestion* question_ = nullptr;
  std::uint32_t together_ = 0;
  bool somebody_left_ = false;
  Thread threads_[kMaxThreads];
};

}  // namespace heddle::symbolic
