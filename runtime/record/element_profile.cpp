#include "runtime/record/element_profile.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/pages.h"
#include "core/base/raw_syscall.h"

namespace heddle::record {
namespace {

constexpr unsigned kDigits = 16;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

ElementProfile read_profile(const char* path) {
  const long file = raw_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const long bytes = raw_syscall(SYS_lseek, file, 0, SEEK_END);
  const long mapped = bytes > 0 ? raw_syscall(SYS_mmap, 0, bytes, PROT_READ, MAP_PRIVATE, file, 0) : -1;
  raw_syscall(SYS_close, file);
  if (mapped < 0 && mapped > -4096) return {};
  const char* text = reinterpret_cast<const char*>(mapped);
  const auto size = static_cast<std::uint64_t>(bytes);
  const std::uint64_t room = (size / (kDigits + 1) + 1) * sizeof(std::uint64_t);
  auto* ids = static_cast<std::uint64_t*>(map_pages(room));
  std::uint64_t count = 0;
  bool sorted = ids != nullptr;
  for (std::uint64_t at = 0; at < size && sorted;) {
    std::uint64_t id = 0;
    unsigned digits = 0;
    for (; digits < kDigits && at + digits < size && digit_of(text[at + digits]) >= 0; ++digits)
      id = id << 4 | static_cast<std::uint64_t>(digit_of(text[at + digits]));
    if (digits == kDigits) {
      sorted = count == 0 || ids[count - 1] < id;
      ids[count++] = id;
    }
    while (at < size && text[at] != '\n') ++at;
    ++at;
  }
  raw_syscall(SYS_munmap, mapped, bytes);
  if (sorted) return {ids, count, room};
  if (ids != nullptr) raw_syscall(SYS_munmap, ids, room);
  return {};
}

}  // namespace heddle::record
