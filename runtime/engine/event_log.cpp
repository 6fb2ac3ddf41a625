#include "runtime/engine/event_log.h"

#include <signal.h>
#include <sys/uio.h>

#include "core/base/raw_syscall.h"
#include "core/trace/event.h"
#include "runtime/engine/debugger.h"

namespace heddle::engine {

EventLog::Room EventLog::make_room() {
  ChannelHeader& h = *channel_.header();
  if (count() >= channel_.event_capacity()) {
    h.current.flags |= result_flags::kEventOverflow;
    return Room::kNone;
  }
  take_value();
  return count() > h.end_after_event ? Room::kPastEnd : Room::kThere;
}

Event& EventLog::add(EventKind kind, std::uint64_t pc, ThreadId thread) {
  ChannelHeader& h = *channel_.header();
  const std::uint32_t at = count();
  if (at == h.pause_at_event) raw_syscall(SYS_kill, raw_syscall(SYS_getpid), SIGSTOP);
  about_to_record(EventId{at}, thread);
  Event& e = channel_.events()[at];
  e = Event{};
  e.kind = kind;
  e.pc = pc;
  e.thread = thread;
  h.event_count.store(at + 1, std::memory_order_relaxed);
  return e;
}

void EventLog::await_value(Address address, std::uint8_t size) {
  take_value();
  plain_write_ = {EventId{count() - 1}, address, size};
}

void EventLog::take_value() {
  if (plain_write_.event == kNoEvent) return;
  Event& event = channel_.events()[index_of(plain_write_.event)];
  event.value = event.value2 = read_safely(plain_write_.address, plain_write_.size);
  plain_write_.event = kNoEvent;
}

std::uint64_t EventLog::read_safely(Address address, std::uint64_t bytes) {
  std::uint64_t value = 0;
  iovec here{&value, bytes};
  iovec there{reinterpret_cast<void*>(address), bytes};
  if (raw_syscall(SYS_process_vm_readv, raw_syscall(SYS_getpid), reinterpret_cast<long>(&here), 1,
                  reinterpret_cast<long>(&there), 1, 0) != static_cast<long>(bytes))
    return 0;
  return value;
}

}  // namespace heddle::engine
