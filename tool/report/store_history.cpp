#include "tool/report/store_history.h"

#include <algorithm>

namespace heddle::report {

std::size_t StoreHistory::find(Position store) const {
  for (std::size_t i = stores_.size(); i-- > 0;) {
    if (stores_[i].position == store) return i;
  }
  return kMostStores;
}

bool StoreHistory::is_known(const Store& store, const Before& before) const {
  // The initial store happens before everything.
  if (&store == stores_.data()) return true;
  return std::any_of(store.accesses.begin(), store.accesses.end(), before);
}

std::vector<Position> StoreHistory::readable(const Before& before, bool by_update) const {
  std::bitset<kMostStores> known;
  for (std::size_t i = 0; i < stores_.size(); ++i) known[i] = is_known(stores_[i], before);
  std::vector<Position> result;
  for (const Store& store : stores_) {
    const bool replaced = (store.after & known).any();
    const bool taken = by_update && store.read_by_update != kMostStores;
    if (!replaced && !taken) result.push_back(store.position);
  }
  return result;
}

void StoreHistory::order(std::size_t first, std::size_t second) {
  if (first == second || stores_[first].after[second]) return;
  std::bitset<kMostStores> later = stores_[second].after;
  later.set(second);
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    if (i == first || stores_[i].after[first]) stores_[i].after |= later;
  }
  // Nothing lies between an update and the store that it read.
  if (stores_[second].update_of != kMostStores) order(first, stores_[second].update_of);
  if (stores_[first].read_by_update != kMostStores) order(stores_[first].read_by_update, second);
}

// Coherence ([intro.races]p14-17): what is known before an access to `store`, or was read before it, precedes
// it.
void StoreHistory::order_known_before(std::size_t store, const Before& before) {
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    if (i != store && is_known(stores_[i], before)) order(i, store);
  }
}

void StoreHistory::note(Store& store, const AccessPoint& by) {
  // What is known of a thread's later access is known of its first, too.
  for (const AccessPoint& known : store.accesses) {
    if (known.thread == by.thread && (known.seq_cst || !by.seq_cst)) return;
  }
  store.accesses.push_back(by);
}

void StoreHistory::read(std::size_t store, const AccessPoint& by, const Before& before) {
  order_known_before(store, before);
  note(stores_[store], by);
}

void StoreHistory::write(const AccessPoint& by, const Before& before) {
  stores_.emplace_back();
  stores_.back().position = by.position;
  order_known_before(stores_.size() - 1, before);
  note(stores_.back(), by);
}

void StoreHistory::update(std::size_t store, const AccessPoint& by, const Before& before) {
  read(store, by, before);
  stores_.emplace_back();
  const std::size_t update = stores_.size() - 1;
  stores_[update].position = by.position;
  const std::bitset<kMostStores> later = stores_[store].after;
  order(store, update);
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    if (later[i]) order(update, i);
  }
  stores_[update].update_of = store;
  stores_[store].read_by_update = update;
  note(stores_[update], by);
}

}  // namespace heddle::report
