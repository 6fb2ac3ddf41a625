#include "runtime/engine/descriptor_clocks.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include "core/base/random.h"
#include "core/base/raw_syscall.h"

namespace heddle::engine {

std::uint32_t& DescriptorClocks::of(int descriptor) {
  constexpr std::uint64_t kSockets = 1;
  constexpr std::uint64_t kOthers = 2;
  struct stat status{};
  std::uint64_t object = kOthers;
  if (raw_syscall(SYS_fstat, descriptor, &status) == 0) {
    if (S_ISFIFO(status.st_mode)) object = (status.st_ino << 2) | 3;
    if (S_ISSOCK(status.st_mode)) object = kSockets;
  }
  const auto first = static_cast<std::uint32_t>(mix(0, object) % kClocks);
  for (std::uint32_t i = 0; i < kClocks; ++i) {
    Entry& entry = entries_[(first + i) % kClocks];
    if (entry.object == 0) entry.object = object;
    if (entry.object == object) return entry.clock;
  }
  return entries_[first].clock;
}

}  // namespace heddle::engine
