// Stacks: where threads are, and which frames hold the variables of events.
//
// A thread's shadow stack has the calls of instrumented functions. In executions that are recorded the running
// thread is unwound instead, so that calls through libraries are seen, too.
//
// Owns: how often was unwound, the function of libc that makes the access under way, and a memo of the places
// on stacks that were noted in the channel.
// Invariants:
//   - where nothing is recorded, no stack costs more than a walk over the shadow stack;
//   - unwinding takes a bounded time in all, and never happens on a stack that may be damaged;
//   - the running thread is the only one that is unwound.
// Called by the mediator and by those who build findings.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/channel.h"
#include "runtime/engine/event_log.h"
#include "runtime/sched/scheduler.h"

namespace heddle::engine {

class Stacks {
 public:
  struct Frame {
    std::uint64_t pc = 0;  // where its function is
    Address canonical = 0;
    std::uint64_t below = 0;  // how far below that the stack pointer is
    std::uint32_t depth = 0;  // 1: the outermost; 0: there is none
  };

  Stacks(sched::Scheduler& scheduler, const EventLog& events) : scheduler_(scheduler), events_(events) {}

  // `symbolic`: unwinding would take most of the time of a symbolic trace. What its findings are known by is
  // found without.
  void start(Channel channel, bool symbolic) {
    channel_ = channel;
    symbolic_ = symbolic;
  }
  // The running thread has crashed: its stack may be damaged.
  void note_crash(bool crashed) { crashed_ = crashed; }
  // Threads are no longer where they were when they began to wait (wake_probe.h).
  void note_moved() { moved_ = true; }

  // Where the thread is: by unwinding in recorded executions, else from the shadow stack. Not for plain
  // accesses: too slow for those.
  StackId of(const sched::Thread& thread);
  StackId shadow_of(const sched::Thread& thread);
  // The frames of the thread's outermost `depth` functions.
  StackId below(const sched::Thread& thread, std::uint32_t depth);
  // Of an event of the running thread. Instrumented code reports its accesses itself; everything else may come
  // from a library that it called.
  StackId of_event(EventKind kind, std::uint64_t pc);
  // Of a plain access, or of one that a library makes for the program: then with the call of the library.
  StackId of_access(std::uint64_t pc);
  // With the function of libc that makes the access under way.
  StackId inside_function(StackId stack);
  void set_function(std::uint64_t function) { function_ = function; }
  // Where the thread is in its innermost instrumented function.
  std::uint64_t innermost_place(const sched::Thread& thread);

  // --- variables on stacks.
  static bool holds(const sched::Thread& thread, Address address);
  static Frame find_frame(const sched::Thread& thread, Address address, std::uint64_t innermost_pc);
  // The frame that held this address, as note_own_variable() was told while the thread ran; nullptr: nobody
  // knows.
  const StackPlace* noted_frame(const sched::Thread& thread, Address address) const;
  // Notes the frame of an event's memory on a stack, by which the tool names the variable.
  void note_variable(const Event& event, Address address);
  // Notes the frame of a variable on the running thread's own stack, for findings after the thread has ended.
  // Main's stack stays, so its frames are not noted. Half of the room is for variables of events.
  void note_own_variable(Address address, std::uint64_t pc);

 private:
  void note_place(const sched::Thread& thread, Address address, std::uint64_t innermost_pc);

  static constexpr std::uint32_t kMostUnwound = 200'000;  // a second's worth
  static constexpr std::uint32_t kMemo = 256;

  sched::Scheduler& scheduler_;
  const EventLog& events_;
  Channel channel_;
  bool symbolic_ = false;
  bool crashed_ = false;
  bool moved_ = false;
  std::uint32_t unwound_ = 0;
  std::uint64_t function_ = 0;
  std::uint16_t latest_places_[kMemo] = {};  // by hash: 1 + index in the channel
};

}  // namespace heddle::engine
