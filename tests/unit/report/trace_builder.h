// Traces made by hand: places by name, events by one call each.
#pragma once

#include <string>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle::report {

class TraceBuilder {
 public:
  TraceBuilder();

  // A place in the program: the frames, innermost first, as "function file line column"; columns may be left
  // out.
  struct At {
    std::string function;
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string module = {};
  };
  // Return address and stack of a place with these activations.
  std::pair<std::uint64_t, StackId> place(const std::vector<At>& frames);

  void source(const std::string& file, std::uint32_t line, const std::string& text);
  Address global(const std::string& variable, std::uint64_t size, const std::string& member = {},
                 std::uint64_t offset = 0);

  TraceEvent& event(EventKind kind, unsigned thread, const std::vector<At>& at = {});
  TraceEvent& access(EventKind kind, unsigned thread, Address address, std::uint64_t value, MemoryOrder order,
                     const std::vector<At>& at = {});

  TraceFinding& finding(FindingKind kind, const std::string& message = {});
  TracePart& part(PartRole role, unsigned thread, const std::vector<At>& at);

  Trace trace;

 private:
  std::uint64_t next_pc_ = 0x555555555200;
  Address next_global_ = 0x555555558040;
};

}  // namespace heddle::report
