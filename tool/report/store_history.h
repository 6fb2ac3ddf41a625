// The stores of one atomic object, and what is known about their modification order at each moment of the
// execution: as in C11Tester §4, a set of constraints that grows with every access.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tool/report/relations.h"

namespace heddle::report {

// An access, by who made it and when.
struct AccessPoint {
  std::uint32_t thread = 0;
  std::uint32_t ordinal = 0;  // among the events of its thread, from 1
  Position position = 0;
  bool seq_cst = false;
};

class StoreHistory {
 public:
  static constexpr std::size_t kMostStores = 256;
  static constexpr std::size_t kInitial = 0;  // index of the store that was there before the first access

  // Is it known, by happens-before or by the order of seq_cst operations, that an access came before this
  // one?
  using Before = std::function<bool(const AccessPoint&)>;

  StoreHistory() { stores_.emplace_back(); }

  // Index of a store by its event; kMostStores: not known.
  std::size_t find(Position store) const;
  bool full() const { return stores_.size() >= kMostStores; }

  // Which stores a read at this point may return: none that a newer one, known to this point, has replaced.
  // An update may not read what another update has read ([atomics.order]p10).
  std::vector<Position> readable(const Before& before, bool by_update) const;

  void read(std::size_t store, const AccessPoint& by, const Before& before);
  // REQUIRES: !full()
  void write(const AccessPoint& by, const Before& before);
  void update(std::size_t store, const AccessPoint& by, const Before& before);

 private:
  struct Store {
    Position position = kInitialStore;
    std::vector<AccessPoint>
        accesses;  // its own, then for each thread the first read, and the first seq_cst one
    std::bitset<kMostStores> after;  // stores known to follow in modification order
    std::size_t read_by_update = kMostStores;
    std::size_t update_of = kMostStores;
  };

  bool is_known(const Store& store, const Before& before) const;
  void order_known_before(std::size_t store, const Before& before);
  void order(std::size_t first, std::size_t second);
  void note(Store& store, const AccessPoint& by);

  std::vector<Store> stores_;
};

}  // namespace heddle::report
