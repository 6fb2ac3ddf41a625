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
  // It is another kind of change if the bug still shows under these rules, which leave only this kind possible.
  struct Unless {
    RemedyKind kind = RemedyKind::kTogether;
    Rules rules;
  };
  std::optional<Unless> unless = std::nullopt;
};
using Proposals = std::vector<Proposal>;

}  // namespace heddle::cause
