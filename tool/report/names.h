// Short names for memory: the variable where there is one, else heap#1+8, T2.stack#1 or mem#1, numbered in
// the order in which the trace mentions them. The same address may be two blocks at two times.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle::report {

class Names {
 public:
  explicit Names(const Trace& trace);

  // What lies at `address` when event `when` happens; kNoEvent: at the end.
  std::string location(Address address, EventId when = kNoEvent);
  // A value as it was read or written by an access of `size` bytes: pointers by the name of what they point
  // to.
  std::string value(std::uint64_t value, std::uint32_t size, EventId when = kNoEvent);

  // The variable alone where it is inside of one: "queue.items" and not "queue.items+16".
  std::string variable(Address address, EventId when = kNoEvent) {
    std::string name = location(address, when);
    const std::size_t plus = has_own_name(address) ? name.rfind('+') : std::string::npos;
    return name.substr(0, plus);
  }

  // What kind of synchronisation object lies there, by what was done with it: "mutex"; empty where nothing
  // was.
  std::string_view noun(Address address) const;

  // Has the program, by a symbol or by heddle_name, a name of its own for it?
  bool has_own_name(Address address) const {
    return trace_.symbols.data.contains(address) || !given_name(address).empty();
  }

  // For each short name given out so far, what it stands for: "heap#1: 64 bytes at 0x…, allocated by T0 at
  // q.cpp:12".
  std::vector<std::string> legend() const;

 private:
  struct Block {
    EventId since = kNoEvent;  // kNoEvent: known from a finding only
    Address start = 0;
    std::uint64_t size = 0;
    ThreadId by = kNoThread;
    std::uint64_t pc = 0;
    StackId stack = kEmptyStack;
    std::uint32_t number = 0;  // 0: not mentioned yet
  };
  struct Given {
    std::uint64_t size = 0;
    std::string name;
  };
  struct ThreadStack {
    Address begin, end;
    ThreadId thread;
  };

  Block* block_at(Address address, EventId when);
  const ThreadStack* stack_at(Address address) const;
  std::string given_name(Address address) const;
  void add_block(const Block& block) { blocks_[block.start].push_back(block); }

  const Trace& trace_;
  std::map<Address, std::vector<Block>> blocks_;  // of one start in the order of time
  std::vector<ThreadStack> stacks_;
  std::map<Address, Given> given_;  // by heddle_name
  std::uint32_t named_blocks_ = 0;
  std::unordered_map<Address, std::string> others_;
  std::vector<std::pair<std::string, Address>> legend_others_;
  std::unordered_map<std::uint32_t, std::uint32_t> stack_slots_;  // thread → names given out
  std::uint32_t named_others_ = 0;
};

}  // namespace heddle::report
