// A change that might be the remedy, before it was tried.
#pragma once

#include <optional>
#include <vector>

#include "tool/cause/trials.h"
#include "tool/trace/explanation.h"

namespace heddle::cause {

struct Proposal {
  RemedyKind kind = RemedyKind::kOrders;
  std::vector<RemedyPart> parts;
  // Code that has to have a turn of its own where it makes plain accesses, or frees: for rules that make it wait.
  std::vector<std::uint64_t> turns;
  // Of a race: the rules hold only where its accesses are choices.
  bool needs_visible_race = false;
  // It is not this change that helps if the bug still shows under these rules, which leave only this one possible; or if
  // `reader` reads `read` under them all the same.
  struct Unless {
    Rules rules;
    ThreadId reader = kNoThread;
    Address read = 0;
  };
  std::optional<Unless> unless = std::nullopt;
  // What comes along with it and is not said: an atomic update reads the newest value ([atomics.order]/10).
  Rules along = {};
};
using Proposals = std::vector<Proposal>;

}  // namespace heddle::cause
