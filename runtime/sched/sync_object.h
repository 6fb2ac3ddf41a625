// What a mutex, condition variable, rwlock, barrier, semaphore, once flag … of the program is to us: its
// state by address. The program's own object keeps only a mark, by which an object that was constructed anew
// at an old address is recognised even where no init function was called (std::mutex has none).
#pragma once

#include <cstdint>

#include "core/base/ids.h"

namespace heddle::sched {

enum class SyncKind : std::uint8_t {
  kNone = 0,
  kMutex,
  kCondition,
  kRwlock,
  kBarrier,
  kSemaphore,
  kSpinLock,
  kOnce,
  kGuard,
  kFutex,
  kAnnotation,
};

enum class MutexType : std::uint8_t { kNormal = 0, kRecursive, kErrorCheck, kAdaptive };

inline constexpr std::uint32_t kTrackedReaders = 24;

// Where a thread did something to an object; the pc is 0 where that is not known.
struct CodePlace {
  std::uint64_t pc = 0;
  StackId stack = kEmptyStack;
  ThreadId thread = kNoThread;
};

// As reports call it.
const char* noun_of(SyncKind kind);
inline const char* article_of(SyncKind kind) { return kind == SyncKind::kRwlock ? "an " : "a "; }

struct SyncObject {
  Address address = 0;
  SyncKind kind = SyncKind::kNone;
  MutexType type = MutexType::kNormal;
  bool robust = false;
  bool inconsistent = false;  // robust mutex whose owner died
  bool not_recoverable = false;
  bool destroyed = false;
  bool shared = false;           // spin lock: with other processes
  bool prefers_writers = false;  // rwlock: readers stand back while a writer waits
  ThreadId owner = kNoThread;    // mutex, write side of an rwlock, running once initialiser
  std::uint32_t count = 0;       // recursion, readers, semaphore value, arrivals at a barrier
  std::uint32_t threshold = 0;   // barrier
  std::uint32_t generation = 0;  // barrier round, condition waits
  std::uint32_t waiters = 0;     // threads blocked here now
  std::uint32_t mark = 0;
  Address partner = 0;         // condition variable: the mutex its waiters use
  std::uint64_t where_pc = 0;  // where the owner took it
  StackId where_stack = kEmptyStack;
  std::uint32_t number = 0;     // its place in the table, the same for all objects at this address
  std::uint32_t serial = 0;     // one for each life of an object: tells a new one at an old address apart
  std::uint32_t order_row = 0;  // LockGraph: what happened before its last release; 0: nothing
  std::uint64_t users = 0;      // barrier: the threads that came; mutex: that took it. By id modulo 64
  CodePlace made;               // by an init function
  CodePlace gone;               // destroyed
  // Condition variables and futexes: the latest signal to all, or one that found no waiter. Who waits now has
  // begun to after it.
  CodePlace early_at;
  std::uint32_t early_time = 0;  // of its thread, up to which it has done all that the signal announces
  // The latest signal to one thread. Who waited then and still waits has a ticket below this.
  std::uint32_t heard_ticket = 0;
  ThreadId heard_by = kNoThread;
  CodePlace heard_at;
  ThreadId readers[kTrackedReaders] = {};
  std::uint32_t clock = 0;         // the memory model's name for what it synchronises; 0: nothing yet
  std::uint32_t reader_clock = 0;  // rwlock: what readers released; only writers acquire it
};

// Open addressing by address; objects never move, so references stay valid for the execution.
class SyncTable {
 public:
  void start();
  SyncObject* find(Address address) const;
  // The object at `address`, made when it is not there or when it was there as something else.
  SyncObject& get(Address address, SyncKind kind) {
    SyncObject*& recent = recent_[address / kUsualSize % kRecent];
    if (recent == nullptr || recent->address != address || recent->kind != kind)
      recent = &look_up(address, kind);
    return *recent;
  }
  // A new object begins its life here. What the memory model keeps about the old one must be dropped before.
  void renew(SyncObject& object, SyncKind kind);
  // Calls `visit` on each object in [begin, end). False: there is none.
  template <typename Visit>
  bool visit_range(Address begin, Address end, Visit visit) {
    if (count_ == 0 || end <= lowest_ || begin > highest_) return false;
    bool found = false;
    for (std::uint32_t i = 1; i <= count_; ++i) {
      SyncObject& object = object_at(i);
      if (object.kind == SyncKind::kNone || object.address < begin || object.address >= end) continue;
      found = true;
      visit(object);
    }
    return found;
  }
  // Forgets what lies in [begin, end): the memory was freed. Calls `visit` on each first.
  template <typename Visit>
  void drop_range(Address begin, Address end, Visit visit) {
    visit_range(begin, end, [&](SyncObject& object) {
      visit(object);
      object.kind = SyncKind::kNone;
    });
  }
  std::uint32_t count() const { return count_; }
  SyncObject& object_at(std::uint32_t number) const { return objects_[number]; }

 private:
  SyncObject& look_up(Address address, SyncKind kind);
  void grow();
  std::uint32_t bucket_of(Address address) const;

  SyncObject* objects_ = nullptr;  // reserved address range, touched as used
  std::uint32_t* buckets_ = nullptr;
  std::uint32_t bucket_count_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t serials_ = 0;
  static constexpr std::uint32_t kUsualSize = 8;
  static constexpr std::uint32_t kRecent = 64;
  SyncObject* recent_[kRecent] = {};  // asked for lately, by address
  Address lowest_ = ~0ull;
  Address highest_ = 0;
};

}  // namespace heddle::sched
