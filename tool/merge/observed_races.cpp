#include "tool/merge/observed_races.h"

#include <algorithm>
#include <deque>
#include <map>

namespace heddle::merge {
namespace {

struct SeenAccess {
  std::uint32_t thread = 0;
  std::uint32_t moment = 0;  // of the thread
  std::size_t place = 0;     // in the element's order
};

struct SeenThread {
  std::string name = "0";
  std::uint32_t children = 0;
  std::vector<std::uint32_t> knows;  // by thread: its moments before what this one does now, from 1
};

struct SeenRace {
  std::uint64_t element = 0;
  std::size_t first = 0, second = 0;  // places in the element's order
};

class RaceScan {
 public:
  explicit RaceScan(std::size_t most) : most_(most) {}

  void look_at(const TraceEvent& event) {
    const std::uint32_t id = index_of(event.thread);
    ++at(id).knows[id];
    if (event.kind == EventKind::kThreadCreate) {
      SeenThread& child = at(index_of(event.other));
      SeenThread& parent = at(id);
      child.name = parent.name + "." + std::to_string(++parent.children);
      join(child.knows, parent.knows);
    } else if (event.kind == EventKind::kThreadJoin) {
      const SeenThread& ended = at(index_of(event.other));
      join(at(id).knows, ended.knows);
    } else if (is_element_access(event)) {
      access(event, id);
    }
  }

  std::vector<TurnedRace> take() {
    std::vector<TurnedRace> turned;
    for (auto race = races_.rbegin(); race != races_.rend(); ++race) turned.push_back(turn(*race));
    return turned;
  }

 private:
  struct Memory {
    std::vector<SeenAccess> write;  // the last one
    std::vector<SeenAccess> reads;  // since then, the last of each thread
  };

  // Of runtime/abi/element_calls.cpp: value2 is the element's id.
  static bool is_element_access(const TraceEvent& event) {
    return (event.kind == EventKind::kPlainRead || event.kind == EventKind::kPlainWrite) && event.value2 != 0;
  }
  SeenThread& at(std::uint32_t thread) {
    while (thread >= threads_.size()) threads_.emplace_back();
    SeenThread& found = threads_[thread];
    if (found.knows.size() <= thread) found.knows.resize(thread + 1);
    return found;
  }
  static void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& other) {
    if (into.size() < other.size()) into.resize(other.size());
    for (std::size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
  }
  void race(std::uint64_t element, const SeenAccess& first, const SeenAccess& second) {
    const auto& knows = at(second.thread).knows;
    if (first.thread < knows.size() && knows[first.thread] >= first.moment) return;  // its own as well
    races_.push_back({element, first.place, second.place});
    if (races_.size() > most_) races_.pop_front();
  }
  void access(const TraceEvent& event, std::uint32_t id) {
    std::vector<std::uint32_t>& order = orders_[event.value2];
    const SeenAccess now{id, at(id).knows[id], order.size()};
    order.push_back(id);
    Memory& memory = memory_[{event.value2, event.address}];
    for (const SeenAccess& write : memory.write) race(event.value2, write, now);
    if (event.kind == EventKind::kPlainRead) {
      std::erase_if(memory.reads, [&](const SeenAccess& read) { return read.thread == id; });
      memory.reads.push_back(now);
      return;
    }
    for (const SeenAccess& read : memory.reads) race(event.value2, read, now);
    memory.reads.clear();
    memory.write.assign(1, now);
  }
  TurnedRace turn(const SeenRace& race) const {
    const std::vector<std::uint32_t>& order = orders_.at(race.element);
    TurnedRace turned{race.element, {}};
    const auto add = [&](std::uint32_t thread) {
      const std::string& name = threads_[thread].name;
      if (turned.turns.empty() || turned.turns.back().thread != name) turned.turns.push_back({name, 0});
      ++turned.turns.back().accesses;
    };
    for (std::size_t i = 0; i < race.first; ++i) add(order[i]);
    for (std::size_t i = race.first; i <= race.second; ++i) {
      if (order[i] == order[race.second]) add(order[i]);
    }
    return turned;
  }

  std::size_t most_;
  std::deque<SeenThread> threads_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> orders_;  // threads, by element
  std::map<std::pair<std::uint64_t, Address>, Memory> memory_;
  std::deque<SeenRace> races_;
};

}  // namespace

std::vector<TurnedRace> turned_round(const Trace& trace, std::size_t most) {
  RaceScan scan(most);
  for (const TraceEvent& event : trace.events) scan.look_at(event);
  return scan.take();
}

}  // namespace heddle::merge
