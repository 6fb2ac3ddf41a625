// An execution with its symbolic trace, and the paths that its threads took.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "tool/search/path.h"
#include "tool/trace/symbolic_tables.h"
#include "tool/trace/trace.h"

namespace heddle::search {

struct ThreadPath {
  ThreadId thread = kMainThread;
  Path path;
  std::vector<std::uint32_t> records;  // of each step, in the tables; kNoRecord: no symbol decided it
  std::vector<EventId> events;         // of the thread, the latest before each step
};
inline constexpr std::uint32_t kNoRecord = ~0u;

struct TracedRun {
  Trace trace;  // with the plain accesses to shared memory among its events; EventId is the position
  SymbolicTables tables;
  std::map<std::string, ThreadPath> threads;  // by name: "0.1" is the first child of the main thread
  // Paths by name with every branch, in the alphabet of path logs; empty where that was not asked for.
  std::map<std::string, ThreadPath> decisions;
  // Decisions of signal handlers that interrupted a thread: "0.1!".
  std::map<std::string, Path> handlers;

  std::map<std::string, Path> paths() const;
  const std::string& name_of(ThreadId thread) const;

  bool is_injected = false;  // a thread was made to read values that nobody wrote
};

// The record of that step, or of a chain of records of a switch, by which the step comes out as `wanted`;
// kNoRecord: there is none, or no symbol decided it.
std::uint32_t record_towards(std::span<const symbolic::Record> records, const ThreadPath& own,
                             std::size_t step, Step wanted);

// Branches that values shared by threads decided, but for assertions: those that held are no branches to
// flip.
TracedRun traced_run(Trace trace, SymbolicTables tables);

}  // namespace heddle::search
