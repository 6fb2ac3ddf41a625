// The cards as the page shows them: first the places of the headline, which are the lines that the terminal's first
// block cites; then what else the finding cites. No two of them show the same place.
#pragma once

#include <string>
#include <vector>

#include "tool/report/headline.h"
#include "tool/report/page_cards.h"
#include "tool/trace/trace.h"

namespace heddle::report {

// Who did what at the place, and what of the trace shows it: one of the pointers, or none of them.
struct ShownDeed {
  ThreadId thread = kNoThread;  // kNoThread: the words say who, or nobody in particular
  std::string words;            // "wrote balance", "allocated here"
  std::string object;           // what the words are about, where they do not say it
  const PageCard* card = nullptr;
  const TraceEvent* event = nullptr;
  const TraceAccess* access = nullptr;
};

struct ShownCard {
  Frame frame;
  std::vector<ShownDeed> deeds;
  bool is_main = true;      // one has to look at it
  bool is_finding = false;  // a part of the finding, and not what led to it
};

// Points into `trace` (whose events the page has), `head` and `cards`.
std::vector<ShownCard> shown_cards(const Trace& trace, const Headline& head,
                                   const std::vector<PageCard>& cards);

}  // namespace heddle::report
