// A change that might be the remedy, before it was tried.
#pragma once

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
};
using Proposals = std::vector<Proposal>;

}  // namespace heddle::cause
