#include "runtime/strategy/knowledge.h"

namespace heddle::strategy {
namespace {

// An array of zeroed entries that has one with this index.
template <typename T>
void make_room(Arena& arena, T*& array, std::uint32_t& capacity, std::uint32_t index) {
  if (index < capacity) return;
  std::uint32_t larger = capacity == 0 ? 16 : capacity;
  while (larger <= index) larger *= 2;
  T* moved = arena.allocate_array<T>(larger);
  if (capacity != 0) {
    memcpy(static_cast<void*>(moved), array, capacity * sizeof(T));
    arena.release_array(array, capacity);
  }
  memset(static_cast<void*>(moved + capacity), 0, (larger - capacity) * sizeof(T));
  array = moved;
  capacity = larger;
}

}  // namespace

Knowledge::Knowledge() : views_(arena_) {
  // The first chunk comes before the snapshot that executions start from, and so only once.
  arena_.release(arena_.allocate(16), 16);
}

void Knowledge::begin(const View& view) {
  arena_.reset();
  view_ = &view;
  threads_.clear();
  seq_cst_ = {};
  places_ = nullptr;
  place_capacity_ = 0;
  objects_ = nullptr;
  object_capacity_ = 0;
}

KnownStore Knowledge::local(ThreadId thread, std::uint32_t location) {
  return StoreViews::get(threads_[thread].view, location);
}

bool Knowledge::is_later(std::uint32_t location, ChoiceKey a, ChoiceKey b) const {
  // Coherence orders the stores of one thread.
  if (a.store_thread() == b.store_thread()) return a.store_ordinal() > b.store_ordinal();
  return location < place_capacity_ && view_->store_precedes(places_[location].location, b, a);
}

Knowledge::Place& Knowledge::place(const Location& location) {
  make_room(arena_, places_, place_capacity_, location.number);
  places_[location.number].location = location;
  return places_[location.number];
}

const Knowledge::Bag* Knowledge::find_bag(const Place& place, ChoiceKey store) {
  const std::uint32_t kept = place.count < place.capacity ? place.count : place.capacity;
  for (std::uint32_t i = 1; i <= kept; ++i) {
    const Bag& bag = place.bags[(place.count - i) & (place.capacity - 1)];
    if (bag.store == KnownStore::of(store)) return &bag;
  }
  return nullptr;
}

Knowledge::Bag& Knowledge::add_bag(Place& place) {
  if (place.count == place.capacity && place.capacity < kMostBags)
    make_room(arena_, place.bags, place.capacity, place.capacity == 0 ? kFirstBags - 1 : place.capacity);
  Bag& bag = place.bags[place.count++ & (place.capacity - 1)];
  views_.drop(bag.view);
  views_.drop(bag.released);
  return bag;
}

// Lines 9-19. What was read is in the thread's view from now on, whether it came from there or not.
void Knowledge::read(Thread& thread, const Operation& operation, const Bag* bag) {
  if (bag != nullptr && is_acquire(operation.order)) {
    views_.merge(thread.view, bag->view, *this);
  } else if (bag != nullptr) {
    views_.merge(thread.to_acquire, bag->released, *this);
  }
  const KnownStore known = StoreViews::get(thread.view, operation.location.number);
  const KnownStore now = KnownStore::of(operation.read);
  if (known == now) return;
  if (!known || is_later(operation.location.number, now.key(), known.key()))
    views_.set(thread.view, operation.location.number, now);
}

void Knowledge::write(Thread& thread, const Operation& operation, Place& place, const Bag* read) {
  views_.set(thread.view, operation.location.number, KnownStore::of(operation.written));
  // A copy: the bag may make room for the new one.
  StoreView continued = read != nullptr ? StoreViews::share(read->released) : StoreView{};
  if (is_release(operation.order) || thread.release_fence.root != nullptr || continued.root != nullptr) {
    Bag& bag = add_bag(place);
    bag.store = KnownStore::of(operation.written);
    bag.view = StoreViews::share(thread.view);
    bag.released = StoreViews::share(is_release(operation.order) ? thread.view : thread.release_fence);
    views_.merge(bag.view, continued, *this);
    views_.merge(bag.released, continued, *this);
  }
  views_.drop(continued);
}

void Knowledge::performed(const Operation& operation) {
  Thread& thread = threads_[operation.thread];
  const bool is_fence = operation.kind == EventKind::kFence;
  if (!is_fence && !operation.reads && !operation.writes) return;
  const bool seq_cst = is_seq_cst(operation.order);
  if (seq_cst) before_seq_cst(operation.thread);
  if (is_fence) {
    if (is_acquire(operation.order)) views_.merge(thread.view, thread.to_acquire, *this);
    if (is_release(operation.order)) views_.replace(thread.release_fence, StoreViews::share(thread.view));
  } else {
    Place& x = place(operation.location);
    const Bag* bag = operation.reads ? find_bag(x, operation.read) : nullptr;
    // An update reads before it writes.
    if (operation.reads) read(thread, operation, bag);
    if (operation.writes) write(thread, operation, x, bag);
  }
  if (seq_cst) views_.replace(seq_cst_, StoreViews::share(thread.view));
}

void Knowledge::created(ThreadId parent, ThreadId child) {
  views_.replace(threads_[child].view, StoreViews::share(threads_[parent].view));
  views_.drop(threads_[child].release_fence);
  views_.drop(threads_[child].to_acquire);
}

void Knowledge::joined(ThreadId joiner, ThreadId finished) {
  views_.merge(threads_[joiner].view, threads_[finished].view, *this);
}

StoreView& Knowledge::object(std::uint32_t number) {
  make_room(arena_, objects_, object_capacity_, number);
  return objects_[number];
}

void Knowledge::released(ThreadId thread, std::uint32_t number) {
  views_.merge(object(number), threads_[thread].view, *this);
}

void Knowledge::acquired(ThreadId thread, std::uint32_t number) {
  views_.merge(threads_[thread].view, object(number), *this);
}

}  // namespace heddle::strategy
