#include "runtime/sched/sync_object.h"

#include "core/base/limit.h"
#include "core/base/pages.h"

namespace heddle::sched {
namespace {

constexpr std::uint32_t kMaxObjects = 1u << 22;
constexpr std::uint32_t kFirstBuckets = 1u << 10;

}  // namespace

const char* noun_of(SyncKind kind) {
  switch (kind) {
    case SyncKind::kMutex:
      return "mutex";
    case SyncKind::kCondition:
      return "condition variable";
    case SyncKind::kRwlock:
      return "rwlock";
    case SyncKind::kBarrier:
      return "barrier";
    case SyncKind::kSemaphore:
      return "semaphore";
    case SyncKind::kSpinLock:
      return "spin lock";
    case SyncKind::kOnce:
      return "once flag";
    case SyncKind::kGuard:
      return "initialisation of a static";
    case SyncKind::kFutex:
      return "futex";
    case SyncKind::kNone:
    case SyncKind::kAnnotation:
      break;
  }
  return "object";
}

void SyncTable::start() {
  objects_ = static_cast<SyncObject*>(map_pages(std::size_t{kMaxObjects} * sizeof(SyncObject)));
  bucket_count_ = kFirstBuckets;
  buckets_ = static_cast<std::uint32_t*>(map_pages(bucket_count_ * sizeof(std::uint32_t)));
}

std::uint32_t SyncTable::bucket_of(Address address) const {
  std::uint32_t bucket =
      static_cast<std::uint32_t>((address * 0x9e3779b97f4a7c15ull) >> 32) & (bucket_count_ - 1);
  while (buckets_[bucket] != 0 && objects_[buckets_[bucket]].address != address) {
    bucket = (bucket + 1) & (bucket_count_ - 1);
  }
  return bucket;
}

SyncObject* SyncTable::find(Address address) const {
  const std::uint32_t index = buckets_[bucket_of(address)];
  return index == 0 || objects_[index].kind == SyncKind::kNone ? nullptr : &objects_[index];
}

SyncObject& SyncTable::look_up(Address address, SyncKind kind) {
  const std::uint32_t bucket = bucket_of(address);
  std::uint32_t index = buckets_[bucket];
  if (index == 0) {
    if (count_ + 1 >= kMaxObjects)
      limit_reached("synchronisation objects in one execution (4,194,304)",
                    "Make the test smaller, or let it use objects again.");
    index = ++count_;
    buckets_[bucket] = index;
    if (address < lowest_) lowest_ = address;
    if (address > highest_) highest_ = address;
    objects_[index].address = address;
    if (count_ * 2 > bucket_count_) grow();
  }
  SyncObject& object = objects_[index];
  object.number = index;
  if (object.kind != kind) renew(object, kind);
  return object;
}

void SyncTable::renew(SyncObject& object, SyncKind kind) {
  const Address address = object.address;
  const std::uint32_t number = object.number;
  object = SyncObject{};
  object.address = address;
  object.kind = kind;
  object.number = number;
  object.serial = ++serials_;
}

void SyncTable::grow() {
  const std::size_t old_bytes = bucket_count_ * sizeof(std::uint32_t);
  unmap_memory(buckets_, old_bytes);
  bucket_count_ *= 4;
  buckets_ = static_cast<std::uint32_t*>(map_pages(bucket_count_ * sizeof(std::uint32_t)));
  for (std::uint32_t i = 1; i <= count_; ++i) buckets_[bucket_of(objects_[i].address)] = i;
}

}  // namespace heddle::sched
