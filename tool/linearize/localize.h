// CGVT's localization (Zhang, Wu, Zhang: "Localization of linearizability faults on the coarse-grained
// level"): from one history without a linearization to a minimum test case.
//
// Of the operations of a history some trigger the fault, and others, perhaps much later, reveal it. A test
// case (Ps, Pc, Pr) runs Ps alone, then the threads of Pc at the same time, then Pr alone. It is minimum if
// some schedule of it is not linearizable, and all are once any operation of Pc is taken away (Definition 2).
// Executions within a budget tell.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/trace/choice.h"
#include "tool/linearize/observed.h"
#include "tool/trace/trace.h"

namespace heddle::linearize {

// A violation of a client, as it was executed.
struct Violated {
  Trace trace;
  std::size_t finding = 0;
  ObservedHistory history;
};

// How hard to look for a violation. The large steps of localization take what the recorded schedule shows,
// then what is found quickly; only where an answer rests on there being none all σ executions are spent.
enum class Effort : std::uint8_t { kGuided, kQuick, kThorough };

// CHECK of Algorithm 1: executes a client up to σ times, first by the schedule that is given.
struct Checked {
  std::optional<Violated> violated;  // nullopt: all histories were linearizable
  bool complete = false;             // there are no executions beside those that were judged
};
using CheckClient =
    std::function<Checked(const lin::Client& client, const std::vector<Choice>& schedule, Effort effort)>;

struct Localized {
  Violated violated;  // of the minimum test case
  std::uint64_t checks = 0;
  bool proved = false;          // without any one operation of Pc all executions there are were linearizable
  bool revealed_later = false;  // the paper's type 2: Pr reveals what Pc has triggered
};

// Nullopt where the history's own operations do not show the fault again within the budget.
std::optional<Localized> localize(const Violated& found, const CheckClient& check);

std::size_t concurrent_operations(const lin::Client& client);

}  // namespace heddle::linearize
