#include "tool/report/page_shown_cards.h"

#include <algorithm>
#include <set>

#include "tool/report/places.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

// The page shows the thread as a tag: "T1 wrote x" is "wrote x", "then T2 wrote it" is "then wrote it". A label that
// begins with somebody else stays as it is.
void split_label(const CitedDeed& cited, ShownDeed& deed) {
  deed.words = cited.label;
  if (cited.thread == kNoThread) return;
  const std::string tag = thread_tag(cited.thread) + " ";
  const std::string_view then = "then ";
  const std::size_t start = deed.words.starts_with(then) ? then.size() : 0;
  if (deed.words.compare(start, tag.size(), tag) != 0) return;
  deed.words.erase(start, tag.size());
  deed.thread = cited.thread;
}

class Shown {
 public:
  Shown(const Trace& trace, const std::vector<PageCard>& cards) : trace_(trace), cards_(cards) {}

  std::vector<ShownCard> write(const Headline& head) {
    for (const CitedPlace& place : head.places) add(place);
    for (const bool is_main : {true, false}) {
      for (const PageCard& card : cards_) {
        if (card.is_main == is_main && !told_.contains(&card)) add(card);
      }
    }
    return std::move(shown_);
  }

 private:
  void add(const CitedPlace& place) {
    ShownCard shown;
    shown.frame = place.frame;
    for (const CitedDeed& cited : place.deeds) {
      ShownDeed deed;
      split_label(cited, deed);
      if (cited.part != nullptr) {
        const auto card =
            std::ranges::find_if(cards_, [&](const PageCard& c) { return c.part == cited.part; });
        if (card != cards_.end()) told_.insert(deed.card = &*card);
        shown.is_finding = true;
      } else if (cited.access != nullptr) {
        deed.access = cited.access;
      } else if (cited.event != kNoEvent) {
        deed.event = trace_.find_event(cited.event);
      }
      shown.deeds.push_back(std::move(deed));
    }
    shown_.push_back(std::move(shown));
  }

  void add(const PageCard& card) {
    const std::vector<Frame> frames = visible_frames(trace_, card.pc, card.stack);
    const Frame* frame = deciding_frame(frames);
    if (frame == nullptr) return;
    ShownDeed deed;
    deed.thread = card.thread;
    deed.words = card.role;
    deed.object = card.object;
    deed.card = &card;
    const bool is_finding = card.is_main && card.part != nullptr;
    for (ShownCard& other : shown_) {
      if (!is_same_place(other, *frame, card.thread)) continue;
      other.is_finding |= is_finding;
      other.deeds.push_back(std::move(deed));
      return;
    }
    shown_.push_back({*frame, {std::move(deed)}, card.is_main, is_finding});
  }

  // As the headline has it: one line, and either one column or one thread.
  static bool is_same_place(const ShownCard& card, const Frame& frame, ThreadId thread) {
    if (frame.file.empty() || frame.line == 0) return false;
    if (card.frame.file != frame.file || card.frame.line != frame.line) return false;
    return card.frame.column == frame.column || card.frame.column == 0 ||
           std::ranges::any_of(card.deeds, [&](const ShownDeed& d) { return d.thread == thread; });
  }

  const Trace& trace_;
  const std::vector<PageCard>& cards_;
  std::set<const PageCard*> told_;
  std::vector<ShownCard> shown_;
};

}  // namespace

std::vector<ShownCard> shown_cards(const Trace& trace, const Headline& head,
                                   const std::vector<PageCard>& cards) {
  return Shown(trace, cards).write(head);
}

}  // namespace heddle::report
