#include "tool/report/page_rows.h"

#include <algorithm>
#include <map>

#include "tool/report/brief_rows.h"
#include "tool/report/interference.h"
#include "tool/report/page_events.h"
#include "tool/report/places.h"

namespace heddle::report {
namespace {

constexpr std::size_t kBriefRows = 40;  // of the terminal's table

class Rows {
 public:
  Rows(const Trace& full, const Trace& shown, const TraceFinding& finding)
      : full_(full), shown_(shown), finding_(finding) {}

  void choose_accesses(const Headline& head, std::size_t most) {
    for (const Row& row : brief_rows(full_, finding_, head, kBriefRows)) {
      if (row.plain != nullptr) telling_.insert(row.plain);
    }
    telling_.merge(cited_accesses(head));
    for (const PartRole role : {PartRole::kPreviousAccess, PartRole::kAccess, PartRole::kHere}) {
      for (const TracePart& part : finding_.parts) {
        if (part.role != role || !is_plain(part.access)) continue;
        if (const TraceAccess* access = access_of(part)) {
          part_of_[access] = &part;
          telling_.insert(access);
        } else {
          parts_.push_back(&part);
        }
      }
    }
    // The last ones are the nearest to the finding.
    const std::size_t events = std::min(shown_.events.size(), most);
    const std::size_t room = std::max(most / 4, most - events);
    first_ = full_.accesses.size() - std::min(full_.accesses.size(), room);
  }

  void add_waits(const std::vector<PageCard>& cards) {
    for (const PageCard& card : cards) {
      const bool waits = card.part != nullptr && card.part->role == PartRole::kBlockedThread;
      if (waits && card.event == nullptr) parts_.push_back(card.part);
    }
  }

  // Each access, and each part, after the last event before it. Threads wait at the end.
  std::vector<PageRow> write() {
    for (const TraceEvent& event : shown_.events) {
      accesses_before(time_of(event.id));
      parts_before(&event);
      rows_.push_back({&event, nullptr, nullptr, false});
    }
    accesses_before(~std::uint64_t{0});
    parts_before(nullptr);
    return std::move(rows_);
  }

 private:
  // A loop may do it several times between two events. The last time is the one that was seen to be wrong.
  const TraceAccess* access_of(const TracePart& part) const {
    for (auto a = full_.accesses.rbegin(); a != full_.accesses.rend(); ++a) {
      if (a->thread == part.thread && a->pc == part.pc && a->after == part.event &&
          a->address / 8 == part.address / 8 && is_write(part.access) == a->writes && !part_of_.contains(&*a))
        return &*a;
    }
    return nullptr;
  }

  void accesses_before(std::uint64_t time) {
    for (; next_ < full_.accesses.size() && time_of(full_.accesses[next_].after) < time; ++next_) {
      const TraceAccess& access = full_.accesses[next_];
      const bool is_telling = telling_.contains(&access);
      if (next_ < first_ && !is_telling) continue;
      const auto part = part_of_.find(&access);
      rows_.push_back({nullptr, &access, part == part_of_.end() ? nullptr : part->second, is_telling});
    }
  }

  void parts_before(const TraceEvent* event) {
    std::erase_if(parts_, [&](const TracePart* part) {
      const bool waits = part->role == PartRole::kBlockedThread;
      const bool is_before = event == nullptr || (waits ? event->id == finding_.event
                                                        : time_of(part->event) < time_of(event->id));
      if (is_before) rows_.push_back({nullptr, nullptr, part, true});
      return is_before;
    });
  }

  const Trace& full_;
  const Trace& shown_;
  const TraceFinding& finding_;
  std::set<const TraceAccess*> telling_;
  std::map<const TraceAccess*, const TracePart*> part_of_;
  std::vector<const TracePart*> parts_;  // that have no row yet
  std::size_t first_ = 0, next_ = 0;     // of the accesses
  std::vector<PageRow> rows_;
};

}  // namespace

std::vector<PageRow> page_rows(const Trace& full, const Trace& shown, const TraceFinding& finding,
                               const Headline& head, const std::vector<PageCard>& cards, std::size_t most) {
  Rows rows(full, shown, finding);
  rows.choose_accesses(head, most);
  rows.add_waits(cards);
  return rows.write();
}

}  // namespace heddle::report
