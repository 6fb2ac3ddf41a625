// How far the orders that an execution is held to have come (core/trace/orders.h). Answers whose turn it is
// at an element; holds back nobody itself.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/trace/orders.h"

namespace heddle::engine {

class ElementOrders {
 public:
  // `table` lies in the channel and stays valid; nullptr: there are no orders. `profiles`: its vectors only
  // name elements, and nobody is held to them: OrderVector::reached is to say which were seen shared.
  void start(OrderTable* table, bool profiles);
  bool any() const { return table_ != nullptr && !profiles_; }
  bool profiles() const { return profiles_; }
  void saw_shared(std::uint32_t vector, bool is_protected) {
    std::uint64_t& reached = table_->vector()[vector].reached;
    if (!is_protected) reached = element_seen::kShared;
    if (reached == 0) reached = element_seen::kProtected;
  }
  // An access of which no address is known: it is shared once two threads came to it.
  void saw(std::uint32_t vector, ThreadId thread) {
    if (at_[vector] == 0) at_[vector] = index_of(thread) + 1;
    if (at_[vector] != index_of(thread) + 1) saw_shared(vector, false);
  }

  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::uint32_t kMostOutOfTurn = 1000;
  // The vector of an element, or kNone.
  std::uint32_t find(std::uint64_t element) const;

  // May this thread come to the element next?
  bool is_turn(std::uint32_t vector, std::uint64_t lineage) const;
  // May a thread come out of turn, should nobody be able to go on? `giving_way`: kKeptOrder, nowhere;
  // kLentOrder, where another run lent the order; kYieldsLast, also where it was not lent and gives way in
  // the end.
  bool gives_way(std::uint32_t vector, std::uint32_t giving_way) const {
    const std::uint32_t is_lent = table_->vector()[vector].is_lent;
    return is_lent != kKeptOrder && is_lent <= giving_way;
  }
  // An order that fits as badly as this says nothing any more, and looking for places takes long.
  bool is_given_up(const OrderVector& vector) const { return vector.out_of_turn >= kMostOutOfTurn; }
  // The thread has come to the element.
  void passed(std::uint32_t vector, std::uint64_t lineage);
  // The thread has entered the block that is this element.
  void entered(std::uint32_t vector, std::uint64_t lineage);
  bool prefers_turns() const { return table_->prefers_turns != 0; }
  // Does a vector that was not lent wait for this thread?
  bool is_waited_for(std::uint64_t lineage) const;
  bool keeps_abreast() const { return parts_ != nullptr; }
  // How much of what is prescribed to a thread it has done. Nothing is known of one without accesses.
  struct Part {
    std::uint64_t lineage = 0;
    std::uint32_t accesses = 0;
    std::uint32_t made = 0;
    // REQUIRES: both have accesses.
    bool is_less_than(const Part& other) const {
      return std::uint64_t{made} * other.accesses < std::uint64_t{other.made} * accesses;
    }
  };
  Part part_of(std::uint64_t lineage) const;
  // `first` is to go first: has it been for too long, polling for what somebody further on would do?
  bool is_in_vain(const Part& first);
  bool follows_entries() const { return entries_ != kNone && !is_given_up(table_->vector()[entries_]); }
  bool enters_early() const { return table_->follows_entries == kEntriesEarly; }
  // Is the block one of those that the vector of all entries is about?
  bool is_of_entries(std::uint32_t vector) const { return table_->vector()[vector].is_lent != kLentOrder; }
  // What is to come before the thread's next entry, as next_place has it.
  std::uint32_t next_entry(std::uint64_t lineage) const { return next_place(entries_, lineage); }
  std::uint32_t entries_made() const { return reached_[entries_]; }
  // Where some orders give way (OrderVector::is_lent) and it is said who goes first, those that do not tell
  // what one run did up to its failure: they have to be complete before anybody goes beyond them, and a
  // thread does not end before it has done its part. Is there such an order that is not complete; has the
  // thread a part left?
  bool is_incomplete() const;
  bool has_left(std::uint64_t lineage) const;
  // How many accesses, as far as they are prescribed, come before the thread's next one; kNone: it has none
  // left.
  std::uint32_t next_place(std::uint32_t vector, std::uint64_t lineage) const;
  // By which element the thread took a lock last (0: it is not known), and the element's vector (kNone:
  // nothing is said of it).
  void took_lock(ThreadId thread, Address lock, std::uint32_t vector, std::uint64_t element);
  std::uint32_t vector_of_lock(ThreadId thread, Address lock) const;
  std::uint64_t element_of_lock(ThreadId thread, Address lock) const;
  // All accesses of the vector were made, and nothing is said of those that come later.
  bool is_over(std::uint32_t vector) const { return at_[vector] == table_->vector()[vector].count; }
  // What comes later is free from here on.
  void release_rest() { rest_is_free_ = true; }
  bool rest_is_free() const { return rest_is_free_; }

 private:
  void take_later_place(OrderVector& vector, std::uint32_t from, std::uint64_t lineage);
  bool tells_of_one_run(std::uint32_t vector) const {
    const bool says_who_goes_first =
        (table_->prefers_turns | table_->keeps_abreast) != 0 || table_->follows_entries != kEntriesLeft;
    return says_who_goes_first && table_->vector()[vector].is_lent == kKeptOrder;
  }
  void count_parts();
  void made_one(std::uint64_t lineage);
  Part* find_part(std::uint64_t lineage) const;
  std::uint32_t group_end(const OrderVector& vector, std::uint32_t from) const;

  OrderTable* table_ = nullptr;
  std::uint32_t entries_ = kNone;     // the vector kAllEntries, where it is to be followed
  std::uint32_t* at_ = nullptr;       // by vector: the first run of the group whose turn it is
  std::uint32_t* reached_ = nullptr;  // by vector: accesses that were made, for the channel
  std::uint32_t* made_ = nullptr;     // by run: accesses that were made of it
  // By hash of thread and lock; of those that share a place, the latest is known.
  struct TakenLock {
    Address lock = 0;
    std::uint64_t element = 0;
    std::uint32_t thread = 0;
    std::uint32_t vector = 0;
  };
  static constexpr std::uint32_t kTakenLocks = 4096;
  TakenLock& taken_lock(ThreadId thread, Address lock) const {
    return locks_[mix(lock, index_of(thread)) % kTakenLocks];
  }
  TakenLock* locks_ = nullptr;
  static constexpr std::uint32_t kParts = 1024;  // of more threads than that, nothing is known
  Part* parts_ = nullptr;                        // by hash of the lineage; nullptr: nobody asks
  Part first_;                                   // who went first, and for how long
  std::uint32_t steps_of_first_ = 0;
  bool rest_is_free_ = false;
  bool profiles_ = false;
};

}  // namespace heddle::engine
