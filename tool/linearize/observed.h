// The history that a test of <heddle/lin.hpp> left in its trace: what localization starts from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/linearize/history.h"
#include "heddle/lin/client.hpp"
#include "tool/trace/trace.h"

namespace heddle::linearize {

struct ObservedOperation {
  lin::Step step;
  std::uint32_t thread = 0;  // 0: main, before and after the others
  std::string result;        // as JSON
  Position called = 0;
  Position returned = kNever;
  std::uint64_t choices_at_call = 0;  // in the execution's log
  std::uint64_t choices_at_return = 0;
};

struct ObservedHistory {
  std::string object;
  std::string source;  // of the test
  lin::Client client;
  std::map<std::string, std::string> needs;   // methods that may wait for ever without another
  std::vector<ObservedOperation> operations;  // in the order of the calls
  std::size_t prefix = 0;                     // the shortest one that has no linearization: Hp(b)
  OperationIndex violating = 0;               // which ends it
  std::vector<OperationIndex> involved;
  std::vector<OperationIndex> order;  // a witness of what was before that end: the last of OpOrder

  bool in_prefix(OperationIndex i) const { return operations[i].called < prefix; }
  bool pending(OperationIndex i) const { return operations[i].returned >= prefix; }
};

// Nullopt where the trace has none: it is of another program.
std::optional<ObservedHistory> observed_history(const Trace& trace);
// The history of a note itself.
std::optional<ObservedHistory> observed_history(std::string_view note);

// enq(3), deq → 3, and deq → ? for one that is pending in the prefix.
std::string text_of(const ObservedHistory& history, OperationIndex index);

}  // namespace heddle::linearize
