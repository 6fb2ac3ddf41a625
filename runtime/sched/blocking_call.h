// A system call that would block: what its thread waits for, in terms that can be asked without blocking.
#pragma once

#include <poll.h>

#include <cstdint>

namespace heddle::sched {

struct BlockingCall {
  const char* name = "";
  int descriptor = -1;       // the one to name in reports; -1: none
  pollfd* polled = nullptr;  // any of these ready ends the wait
  std::uint32_t polled_count = 0;
  // Where poll cannot tell (children, file locks): asks the kernel, without blocking, with `argument`.
  bool (*ready)(const BlockingCall& call) = nullptr;
  long argument = 0;
  bool needs_children = false;  // only a child process can end it
};

}  // namespace heddle::sched
