#include "tool/merge/replay/observed_races.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

#include "core/trace/element_events.h"

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
  std::size_t number = 0;             // in the execution
};

// Synchronisation has no address (runtime/abi/heddle/element_calls.cpp).
struct SeenLock {
  std::uint64_t element = 0;
  std::size_t place = 0;   // in the element's order
  std::size_t number = 0;  // in the execution
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
    } else if (element_of(event) != 0) {
      access(event, id);
    }
  }

  std::vector<TurnedRace> take(bool broken_off) {
    std::vector<TurnedRace> put_off = broken_off ? locks_put_off() : std::vector<TurnedRace>();
    std::vector<TurnedRace> turned;
    if (!put_off.empty()) turned.push_back(put_off[0]);
    for (std::size_t from_end = 0; turned.size() < most_; ++from_end) {
      std::vector<const SeenRace*> last;  // of each thread
      for (const auto& [thread, races] : races_) {
        if (from_end < races.size()) last.push_back(&races[races.size() - 1 - from_end]);
      }
      if (from_end == 1) {
        for (std::size_t i = 1; i < put_off.size() && turned.size() < most_; ++i)
          turned.push_back(put_off[i]);
      }
      if (last.empty() && from_end > 0) break;
      std::ranges::sort(last, std::ranges::greater(), &SeenRace::number);
      for (const SeenRace* race : last) {
        if (turned.size() < most_) turned.push_back(turn(*race));
      }
    }
    return turned;
  }

 private:
  struct Memory {
    std::vector<SeenAccess> write;  // the last one
    std::vector<SeenAccess> reads;  // since then, the last of each thread
  };

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
    std::deque<SeenRace>& of_thread = races_[second.thread];
    of_thread.push_back({element, first.place, second.place, seen_++});
    if (of_thread.size() > most_) of_thread.pop_front();
  }
  void access(const TraceEvent& event, std::uint32_t id) {
    const std::uint64_t element = element_of(event);
    std::vector<std::uint32_t>& order = orders_[element];
    const SeenAccess now{id, at(id).knows[id], order.size()};
    order.push_back(id);
    if (event.address == 0) locks_[id] = {element, now.place, locks_taken_++};
    Memory& memory = memory_[{element, event.address}];
    for (const SeenAccess& write : memory.write) race(element, write, now);
    if (event.kind == EventKind::kPlainRead) {
      std::erase_if(memory.reads, [&](const SeenAccess& read) { return read.thread == id; });
      memory.reads.push_back(now);
      return;
    }
    for (const SeenAccess& read : memory.reads) race(element, read, now);
    memory.reads.clear();
    memory.write.assign(1, now);
  }
  void add_turn(TurnedRace& turned, std::uint32_t thread) const {
    const std::string& name = threads_[thread].name;
    if (turned.turns.empty() || turned.turns.back().thread != name) turned.turns.push_back({name, 0});
    ++turned.turns.back().accesses;
  }
  TurnedRace turn(const SeenRace& race) const {
    const std::vector<std::uint32_t>& order = orders_.at(race.element);
    TurnedRace turned{race.element, {}};
    for (std::size_t i = 0; i < race.first; ++i) add_turn(turned, order[i]);
    for (std::size_t i = race.first; i <= race.second; ++i) {
      if (order[i] == order[race.second]) add_turn(turned, order[i]);
    }
    return turned;
  }
  // The latest first.
  std::vector<TurnedRace> locks_put_off() const {
    std::vector<SeenLock> taken;
    for (const auto& [thread, lock] : locks_) taken.push_back(lock);
    std::ranges::sort(taken, std::ranges::greater(), &SeenLock::number);
    std::vector<TurnedRace> all;
    for (const SeenLock& lock : taken) {
      const std::vector<std::uint32_t>& order = orders_.at(lock.element);
      for (const auto& [other, its_last] : locks_) {
        if (other == order[lock.place]) continue;
        TurnedRace turned{lock.element, {}};
        for (std::size_t i = 0; i < lock.place; ++i) add_turn(turned, order[i]);
        add_turn(turned, other);
        add_turn(turned, order[lock.place]);
        all.push_back(std::move(turned));
      }
    }
    return all;
  }

  std::size_t most_;
  std::deque<SeenThread> threads_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> orders_;  // threads, by element
  std::map<std::pair<std::uint64_t, Address>, Memory> memory_;
  std::map<std::uint32_t, std::deque<SeenRace>> races_;  // by thread of the second access
  std::size_t seen_ = 0;
  std::map<std::uint32_t, SeenLock> locks_;  // the last one of each thread
  std::size_t locks_taken_ = 0;
};

}  // namespace

std::vector<TurnedRace> turned_round(const Trace& trace, std::size_t most, bool broken_off) {
  RaceScan scan(most);
  for (const TraceEvent& event : trace.events) scan.look_at(event);
  return scan.take(broken_off);
}

}  // namespace heddle::merge
