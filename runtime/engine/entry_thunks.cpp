#include "runtime/engine/entry_thunks.h"

#include <sys/mman.h>

#include "core/base/freestanding.h"
#include "core/base/pages.h"

namespace heddle::engine {

Crossing crossing;

LibrarySet Crossing::take_entered() {
  LibrarySet libraries = 0;
  for (std::uint32_t i = 0; i < kMaxLibraries; ++i) {
    if (entered[i] != 0) libraries |= LibrarySet{1} << i;
    entered[i] = 0;
  }
  pending = 0;
  return libraries;
}

namespace {

// movb $1, entered[library](%rip); movb $1, pending(%rip); movq $-1, disturbed(%rip); jmp *target(%rip)
struct [[gnu::packed]] Thunk {
  std::uint8_t mark_entered[2] = {0xc6, 0x05};
  std::int32_t to_entered = 0;
  std::uint8_t one = 1;
  std::uint8_t mark_pending[2] = {0xc6, 0x05};
  std::int32_t to_pending = 0;
  std::uint8_t another_one = 1;
  std::uint8_t disturb[3] = {0x48, 0xc7, 0x05};
  std::int32_t to_disturbed = 0;
  std::int32_t all_bits = -1;
  std::uint8_t jump[2] = {0xff, 0x25};
  std::int32_t to_target = 0;
  std::uint8_t stop[9] = {0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
  std::uint64_t target = 0;
};
static_assert(sizeof(Thunk) == 48);

constexpr std::uint32_t kMostThunks = 1u << 15;
constexpr std::uint32_t kBuckets = 1u << 16;

// Beside the runtime's other data, which the instructions have to reach; never touched where unused.
struct Thunks {
  alignas(kPageSize) unsigned char code[kMostThunks * sizeof(Thunk)];
  std::uint32_t by_target[kBuckets];  // 1 + number
  std::uint32_t count;
  bool writable;
  std::uint64_t* disturbed;
};
Thunks thunks;

Thunk& thunk_at(std::uint32_t number) { return reinterpret_cast<Thunk*>(thunks.code)[number]; }

void protect(int protection) {
  raw_syscall(SYS_mprotect, reinterpret_cast<std::uint64_t>(thunks.code), sizeof thunks.code, protection);
}

// From the instruction's end, `tail` bytes after the distance itself.
std::int32_t distance(const void* field, std::uint32_t tail, const void* to) {
  return static_cast<std::int32_t>(reinterpret_cast<std::int64_t>(to) -
                                   (reinterpret_cast<std::int64_t>(field) + 4 + tail));
}

void write_thunk(Thunk& at, std::uint64_t target, std::uint32_t library) {
  Thunk thunk;
  thunk.to_entered = distance(&at.to_entered, 1, &crossing.entered[library]);
  thunk.to_pending = distance(&at.to_pending, 1, &crossing.pending);
  thunk.to_disturbed = distance(&at.to_disturbed, 4, thunks.disturbed);
  thunk.to_target = distance(&at.to_target, 0, &at.target);
  thunk.target = target;
  memcpy(&at, &thunk, sizeof thunk);
}

}  // namespace

void prepare_thunks(std::uint64_t* disturbed) { thunks.disturbed = disturbed; }

std::uint64_t thunk_for(std::uint64_t target, std::uint32_t library) {
  if (!thunks.writable) protect(PROT_READ | PROT_WRITE);
  thunks.writable = true;
  std::uint32_t bucket = static_cast<std::uint32_t>((target + library) * 0x9e3779b97f4a7c15ull >> 48);
  for (; thunks.by_target[bucket] != 0; bucket = (bucket + 1) % kBuckets) {
    const std::uint32_t known = thunks.by_target[bucket] - 1;
    // A library at the place of one that was unloaded may have another number.
    if (thunk_at(known).target == target &&
        thunk_at(known).to_entered == distance(&thunk_at(known).to_entered, 1, &crossing.entered[library]))
      return reinterpret_cast<std::uint64_t>(&thunk_at(known));
  }
  if (thunks.count == kMostThunks) return 0;
  Thunk& thunk = thunk_at(thunks.count);
  thunks.by_target[bucket] = ++thunks.count;
  write_thunk(thunk, target, library);
  return reinterpret_cast<std::uint64_t>(&thunk);
}

void finish_thunks() {
  if (thunks.writable) protect(PROT_READ | PROT_EXEC);
  thunks.writable = false;
}

}  // namespace heddle::engine
