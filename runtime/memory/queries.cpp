// What strategies ask about modification order. Asked seldom: by scanning the few stores that are kept.
#include "runtime/memory/memory_model.h"

namespace heddle::memory {
namespace {

Sequence find_store(const Location& x, ChoiceKey key) {
  for (Sequence s = x.end; s != x.first;) {
    const Store& store = x.store(--s);
    if (Location::test(x.live, x.slot(s)) && ChoiceKey::store(store.writer, store.ordinal) == key) return s;
  }
  return kNoSequence;
}

}  // namespace

bool MemoryModel::is_before(ChoiceKey a, const Candidate& b) const {
  const Sequence s = find_store(*pending_.location, a);
  return s == kNoSequence || pending_.location->is_before(s, b.store);
}

bool MemoryModel::precedes(const Place& place, std::uint32_t number, ChoiceKey a, ChoiceKey b) const {
  const Location* x = table_.find(place.address, place.size);
  if (x == nullptr || x->number != number) return false;
  const Sequence first = find_store(*x, a);
  const Sequence second = find_store(*x, b);
  if (first == kNoSequence || second == kNoSequence) return second != kNoSequence;
  if (x->is_before(first, second)) return true;
  return !x->is_before(second, first) && first - x->first < second - x->first;
}

}  // namespace heddle::memory
