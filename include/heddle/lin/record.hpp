// What one operation did, and when. Each thread writes its own records only and nobody reads them before all
// have ended, so recording orders nothing; the moments come from the runtime, which makes no choice for them.
// Without heddle a counter gives them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/lin/client.hpp"

namespace heddle::lin {

class Clock {
 public:
  explicit Clock(bool under_heddle) : runtime_(under_heddle) {}

  void call(heddle_moment& moment, std::size_t operation) {
    runtime_ ? heddle_runtime_operation_called(&moment, static_cast<unsigned>(operation)) : tick(moment);
  }
  void give_back(heddle_moment& moment) {
    runtime_ ? heddle_runtime_operation_returned(&moment) : tick(moment);
  }

 private:
  void tick(heddle_moment& moment) { moment = {ticks_.fetch_add(1) + 1, 0}; }

  bool runtime_;
  std::atomic<unsigned long long> ticks_{0};
};

struct Record {
  const Step* step = nullptr;
  std::uint32_t thread = 0;  // 0: main, before and after the others
  std::size_t operation = 0;
  Reply reply = {};
  bool failed = false;  // did nothing, as it may
  heddle_moment called = {};
  heddle_moment returned = {};
};

// In the order of the calls.
inline std::vector<Record> merge(const std::vector<std::vector<Record>>& lanes) {
  std::vector<Record> records;
  for (const auto& lane : lanes) records.insert(records.end(), lane.begin(), lane.end());
  std::sort(records.begin(), records.end(),
            [](const Record& a, const Record& b) { return a.called.order < b.called.order; });
  return records;
}

// Calls and returns in their order: the record, and whether it is its return.
inline std::vector<std::pair<std::size_t, bool>> events_of(const std::vector<Record>& records) {
  std::vector<std::pair<std::size_t, bool>> events;
  for (std::size_t i = 0; i < records.size(); ++i) {
    events.emplace_back(i, false);
    events.emplace_back(i, true);
  }
  const auto when = [&](const std::pair<std::size_t, bool>& event) {
    const Record& record = records[event.first];
    return event.second ? record.returned.order : record.called.order;
  };
  std::sort(events.begin(), events.end(), [&](const auto& a, const auto& b) { return when(a) < when(b); });
  return events;
}

}  // namespace heddle::lin
