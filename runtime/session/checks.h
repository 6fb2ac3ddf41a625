// Bodies of heddle::check: an execution ends with the last of them where what follows can be left out.
//
// The first execution of a process runs on to the program's end, and so tells how many checks there are. From
// then on an execution ends with the body of its last check if the body changed nothing of what the program
// had before: its data, main's frames and the blocks of its heap. What follows then does in each execution
// what it did in the first. An execution's hash, choices and what its strategy says of it are those up to the
// end of its last check either way: which executions run on depends on how many processes there are.
#pragma once

#include <cstdint>

#include "core/base/address_space.h"
#include "core/trace/channel.h"

namespace heddle::session {

struct Checks {
  static constexpr std::uint32_t kMostZones = 64;

  std::uint32_t known = 0;       // bodies in an execution; 0: no execution has come to its end yet
  std::uint32_t ended = 0;       // in the execution under way
  std::uint64_t trace_hash = 0;  // at the end of the latest
  std::uint32_t choice_count = 0;
  ExecutionResult said;  // by the strategy
  // The program's memory at the first check: modules' data and heap.
  std::uint32_t zone_count = 0;
  bool has_zones = false;              // false: not asked yet, or too many
  AddressRange zones[kMostZones + 1];  // and main's frames
};

// The program ends with this status.
void end_checks(int status);
// The execution ends: what was said after its last check does not count.
void keep_what_checks_said(ExecutionResult& result);

}  // namespace heddle::session
