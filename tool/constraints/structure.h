// What holds in every schedule of a symbolic trace, computed once: program order, the order that creation,
// join, barriers and call_once force, who holds which lock from where to where, and which bytes of memory are
// touched together.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tool/constraints/symbolic_trace.h"

namespace heddle::constraints {

// The coarsest pieces of memory such that every access touches whole ones; accesses of one size at one
// address have a cell of their own, mixed sizes share several.
using CellId = std::uint32_t;

// What one access does to one cell.
struct Part {
  ActionId action = kNoAction;
  CellId cell = 0;
  std::uint8_t shift = 0;  // bits of the cell's value within the access
  std::uint8_t bits = 0;
};
using PartId = std::uint32_t;

struct Cell {
  std::vector<ActionId> writes;  // in the observed order
  std::vector<ActionId> reads;
  bool has_initial = false;  // its value before the first write is known
  std::uint64_t initial = 0;
  bool weak = false;  // under C++20, a read may be of an older write
};

// From a lock to the unlock that ends it. Re-entrant locking is one section.
struct Section {
  ActionId lock = kNoAction;
  ActionId unlock = kNoAction;  // kNoAction: held to the end
  std::uint32_t object = 0;
  ThreadId thread = kMainThread;
  bool exclusive = true;
};

struct Wait {
  ActionId wait = kNoAction;
  ActionId wake = kNoAction;  // where it can go on: the lock that precedes kCondWake
  bool needs_signal = true;   // neither a timeout nor spurious
  std::uint32_t object = 0;
};

inline constexpr std::uint32_t kNoSection = ~0u;

class Structure {
 public:
  // `goal`: schedules that fail leave out what is synthetic in a deadlock (Bug).
  enum class Goal : std::uint8_t { kFail, kPass };
  Structure(const SymbolicTrace& trace, Goal goal);

  const SymbolicTrace& trace() const { return trace_; }
  Goal goal() const { return goal_; }
  const Action& action(ActionId id) const { return trace_.actions[id]; }
  std::size_t count() const { return trace_.actions.size(); }
  std::size_t thread_count() const { return threads_.size(); }
  bool included(ActionId id) const { return included_[id]; }
  // Included actions, in the observed order.
  std::span<const ActionId> observed() const { return observed_; }

  std::uint32_t thread_index(ActionId id) const { return thread_index_[id]; }
  std::uint32_t ordinal(ActionId id) const { return ordinal_[id]; }  // in its thread
  std::span<const ActionId> thread(std::uint32_t index) const { return threads_[index]; }

  // Edges of the order that every schedule has, besides program order.
  std::span<const std::pair<ActionId, ActionId>> forced() const { return forced_; }
  // Is `a` before `b` in every schedule? False for a == b.
  bool precedes(ActionId a, ActionId b) const {
    return a != b && ordinal_[a] < clocks_[std::size_t{b} * threads_.size() + thread_index_[a]];
  }

  std::span<const Part> parts() const { return parts_; }
  std::span<const Part> parts_of(ActionId id) const {
    return std::span(parts_).subspan(first_part_[id], first_part_[id + 1] - first_part_[id]);
  }
  PartId first_part(ActionId id) const { return first_part_[id]; }
  std::span<const Cell> cells() const { return cells_; }

  std::span<const Section> sections() const { return sections_; }
  // The sections that an action lies in, its own lock and unlock included.
  std::span<const std::uint32_t> sections_of(ActionId id) const { return sections_of_[id]; }
  // For a lock or unlock that begins or ends a section, which; else kNoSection (re-entrant).
  std::uint32_t section_begun(ActionId id) const { return section_begun_[id]; }
  std::uint32_t section_ended(ActionId id) const { return section_ended_[id]; }
  std::span<const Wait> waits() const { return waits_; }
  // A number for each object of synchronisation.
  std::uint32_t object_of(ActionId id) const { return object_of_[id]; }
  std::uint32_t object_count() const { return object_count_; }
  // Tokens that a semaphore has at the start.
  std::uint64_t tokens(std::uint32_t object) const { return tokens_[object]; }
  // What the actions read in the execution that was traced: by part, kNoAction is the initial value.
  std::span<const ActionId> observed_sources() const { return observed_sources_; }

 private:
  void number_threads();
  void name_objects();
  void find_cells();
  void find_initial_values();
  void take_known_initial(const Part& part);
  void find_sections();
  void find_waits();
  void force_thread_order();
  void force_barriers();
  void force_once();
  void force_lifetimes();
  void close_order();
  void force(ActionId a, ActionId b);

  const SymbolicTrace& trace_;
  Goal goal_;
  std::vector<bool> included_;
  std::vector<ActionId> observed_;
  std::vector<std::vector<ActionId>> threads_;
  std::vector<std::uint32_t> thread_index_, ordinal_, object_of_;
  std::uint32_t object_count_ = 0;
  std::vector<std::uint64_t> tokens_;
  std::vector<std::pair<ActionId, ActionId>> forced_;
  std::vector<std::uint32_t> clocks_;
  std::vector<Part> parts_;
  std::vector<PartId> first_part_;
  std::vector<Cell> cells_;
  std::vector<Section> sections_;
  std::vector<std::vector<std::uint32_t>> sections_of_;
  std::vector<std::uint32_t> section_begun_, section_ended_;
  std::vector<Wait> waits_;
  std::vector<ActionId> observed_sources_;
};

}  // namespace heddle::constraints
