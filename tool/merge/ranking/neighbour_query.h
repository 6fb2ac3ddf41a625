// One base log whose neighbours are looked for, and what was found so far: for each element that it misses,
// the most similar log that has it.
#pragma once

#include <vector>

#include "tool/merge/store/log_set.h"

namespace heddle::merge {

struct BestLog {
  double similarity = -1;
  std::uint64_t turn = 0;  // how far it is from where the shuffled order begins for the base
  LogIndex log = kNone;
};

// The members that a search needs for itself are kept from one base to the next, so that nothing is allocated
// for each.
struct NeighbourQuery {
  explicit NeighbourQuery(const LogSet& logs)
      : row(logs.elements(), kNone), best(logs.elements()), seen(logs.logs(), 0) {}

  // `begins`: place in the shuffled order.
  void begin(const LogSet& logs, LogIndex log, std::uint64_t begins) {
    for (const Recorded& r : recorded) row[r.element] = kNone;
    const auto own = logs.log(log);
    recorded.assign(own.begin(), own.end());
    for (const Recorded& r : recorded) row[r.element] = r.vector;
    base = log;
    order_begins = begins;
    order_length = logs.logs();
    missing.clear();
    for (ElementIndex e = 0; e < row.size(); ++e) {
      best[e] = {};
      if (row[e] == kNone) missing.push_back(e);
    }
    ++stamp;
    seen[log] = stamp;
  }

  std::uint64_t turn_of(std::uint64_t place) const {
    return place >= order_begins ? place - order_begins : place + order_length - order_begins;
  }
  // Does not look whether the base misses the element.
  void offer(ElementIndex element, LogIndex log, std::uint64_t place, double similarity) {
    BestLog& so_far = best[element];
    if (similarity < so_far.similarity) return;
    const std::uint64_t turn = turn_of(place);
    if (similarity > so_far.similarity || turn < so_far.turn) so_far = {similarity, turn, log};
  }
  // Offers the log for all elements that it has and the base misses.
  void offer(const LogSet& logs, LogIndex log, std::uint64_t place, double similarity) {
    for (const Recorded& r : logs.log(log)) {
      if (row[r.element] == kNone) offer(r.element, log, place, similarity);
    }
  }

  LogIndex base = kNone;
  std::uint64_t order_begins = 0, order_length = 0;
  std::vector<Recorded> recorded;  // by the base
  std::vector<VectorIndex> row;    // the base's vectors by element
  std::vector<ElementIndex> missing;
  std::vector<BestLog> best;        // by element
  std::vector<std::uint32_t> seen;  // by log: stamp of the base that looked at it last
  std::uint32_t stamp = 0;
  std::uint64_t compared = 0;  // pairs of logs, since the query was made
};

}  // namespace heddle::merge
