// Crossings: calls into libraries that were not compiled by heddle, and back.
//
// A trusted library (--trust-library) may hand what the program did before any call of it to whoever returns
// from it, or is called by it, later. Each has a clock into which a thread releases when it goes in, and from
// which it acquires when it comes out. That is more than most calls do, and so it can hide a race; it never
// makes one. Both edges are made when the thread is next seen. By an access, a function or an operation of the
// program it is out of the library. After an operation that the library makes it is still inside, and acquires
// once more when it comes out.
//
// Owns: whether calls are watched, and the libraries' clocks. What the thunks write (entry_thunks.h) is
// theirs, since code of the program writes it; which libraries a thread is in is kept with the thread.
// Invariant: crossing.pending is set whenever the running thread is in a library or has entered one since it
// was last seen.
// The mediator calls this before accesses and operations of the program and around switches.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "runtime/engine/entry_thunks.h"
#include "runtime/engine/happens_before.h"
#include "runtime/race/race_detector.h"
#include "runtime/sched/thread.h"

namespace heddle::engine {

class Crossings {
 public:
  explicit Crossings(HappensBefore& edges) : edges_(edges) {}

  // `all`: also libraries that are not trusted, so that a race which they may explain can say so.
  void start(const char* trusted, bool all, std::uint64_t* stamp_word);
  bool watching() const { return watching_; }

  // The running thread is seen. `out`: the program itself acts, and not the library. `next`: the number of the
  // next event; kNoEvent where none are recorded.
  void cross(sched::Thread& running, bool out, EventId next);
  // An instrumented function begins, called from `caller_pc`. True: the program has called it. If anything is
  // pending afterwards, the mediator calls cross() or call_back().
  bool note_caller(sched::Thread& running, std::uint64_t caller_pc);
  // A library has called the program.
  void call_back(sched::Thread& running, EventId next);
  // The running thread's innermost instrumented function returns. True: to a library.
  bool note_return(sched::Thread& running);

  // A thread's libraries stay with it: what is pending is settled before another thread runs.
  void before_switch(sched::Thread& running, EventId next) {
    if (crossing.pending != 0) cross(running, false, next);
    crossing.pending = 0;
  }
  void after_switch(const sched::Thread& running) { crossing.pending = running.libraries != 0; }

  // Could it be that the earlier access was handed over through this library? Its thread has gone into the
  // library since, and the other one has come from there. For libraries that are not trusted.
  static bool explains(std::uint32_t library, const race::Race& race, const sched::Thread& earlier,
                       const sched::Thread& later);

 private:
  HappensBefore& edges_;
  bool watching_ = false;
  std::uint32_t clocks_[kMaxLibraries] = {};  // what was released into each
};

}  // namespace heddle::engine
