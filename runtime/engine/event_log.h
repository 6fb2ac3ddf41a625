// EventLog: the events of an execution that is run again to be shown. They lie in the channel.
//
// Owns: whether events are recorded, and the plain write whose value is not in memory yet.
// Invariants:
//   - nothing is recorded in campaigns, and what is recorded changes no choice;
//   - an event is complete when the next one begins; events are numbered from 0 in the order of execution;
//   - result_flags::kEventOverflow is set if and only if an event found no room.
// Called by the mediator alone. is_on() is asked at every operation.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/channel.h"

namespace heddle::engine {

class EventLog {
 public:
  enum class Room : std::uint8_t { kThere, kNone, kPastEnd };

  void start(Channel channel, bool on) {
    channel_ = channel;
    on_ = on;
  }
  bool is_on() const { return on_; }
  // Until the next call: events are recorded, or not.
  void turn(bool on) { on_ = on; }
  // What the program does about its own test (judging a history) is of no interest to who reads the trace.
  void pause(bool pause) {
    if (pause) paused_ = on_;
    on_ = !pause && paused_;
  }
  std::uint32_t count() const { return channel_.header()->event_count.load(std::memory_order_relaxed); }
  // The number of the next event; kNoEvent where none are recorded.
  EventId next() const { return on_ ? EventId{count()} : kNoEvent; }

  // Completes the event before. kPastEnd: the execution is not to go further (ChannelHeader::end_after_event).
  Room make_room();
  // REQUIRES: there is room. A debugger may stop here.
  Event& add(EventKind kind, std::uint64_t pc, ThreadId thread);

  // What a plain access writes is in memory only when its thread comes back to us.
  void await_value(Address address, std::uint8_t size);
  void take_value();
  // What is in the program's memory there, which may be gone; 0 if it is.
  static std::uint64_t read_safely(Address address, std::uint64_t bytes);

 private:
  Channel channel_;
  bool on_ = false;
  bool paused_ = false;  // what pause(false) goes back to
  struct PlainWrite {
    EventId event = kNoEvent;
    Address address = 0;
    std::uint8_t size = 0;
  } plain_write_;
};

}  // namespace heddle::engine
