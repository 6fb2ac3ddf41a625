#include "runtime/session/memory_map.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#include "core/base/pages.h"

namespace heddle::session {
namespace {

constexpr int kLowestOwnDescriptor = 900;

// linux/fs.h, struct pm_scan_arg.
struct ScanArgument {
  std::uint64_t size = sizeof(ScanArgument);
  std::uint64_t flags = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t walk_end = 0;
  std::uint64_t vector = 0;
  std::uint64_t vector_length = 0;
  std::uint64_t max_pages = 0;
  std::uint64_t category_inverted = 0;
  std::uint64_t category_mask = 0;
  std::uint64_t category_any_of = 0;
  std::uint64_t return_mask = 0;
};
constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanArgument);
constexpr std::uint64_t kProtectMatching = 1u << 0;
constexpr std::uint64_t kOnlyTracked = 1u << 1;  // fail where writes are not tracked

// One line of /proc/self/maps: begin-end rwxp offset device inode [path].
class MapsReader {
 public:
  MapsReader() : file_(raw_syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~MapsReader() {
    if (file_ >= 0) raw_syscall(SYS_close, file_);
  }
  MapsReader(const MapsReader&) = delete;
  MapsReader& operator=(const MapsReader&) = delete;

  bool usable() const { return file_ >= 0; }

  // False at the end.
  bool next(Region& region, bool& writable_private, bool& is_kernels) {
    if (peek() < 0) return false;
    region.begin = hexadecimal();
    take();  // '-'
    region.end = hexadecimal();
    take();
    take();  // r
    const bool writable = take() == 'w';
    take();  // x
    writable_private = writable && take() == 'p';
    skip_word();                         // the rest of the permissions, up to the offset
    skip_word();                         // offset
    skip_word();                         // device
    region.file_backed = peek() != '0';  // inode 0: anonymous
    skip_word();
    while (peek() == ' ') take();
    // [vvar], [vdso], [vsyscall]; [stack] and [heap] are the program's.
    is_kernels = false;
    if (peek() == '[') {
      take();
      is_kernels = peek() == 'v';
    }
    while (peek() >= 0 && peek() != '\n') take();
    take();
    return true;
  }

 private:
  int peek() {
    if (at_ == filled_) {
      const long got = raw_syscall(SYS_read, file_, buffer_, sizeof buffer_);
      at_ = 0;
      filled_ = got > 0 ? static_cast<std::uint32_t>(got) : 0;
      if (filled_ == 0) return -1;
    }
    return static_cast<unsigned char>(buffer_[at_]);
  }
  int take() {
    const int c = peek();
    if (c >= 0) ++at_;
    return c;
  }
  std::uint64_t hexadecimal() {
    std::uint64_t value = 0;
    for (;; take()) {
      const int c = peek();
      if (c >= '0' && c <= '9') {
        value = value * 16 + static_cast<std::uint64_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        value = value * 16 + static_cast<std::uint64_t>(c - 'a' + 10);
      } else {
        return value;
      }
    }
  }
  void skip_word() {
    while (peek() >= 0 && peek() != ' ' && peek() != '\n') take();
    while (peek() == ' ') take();
  }

  long file_;
  std::uint32_t at_ = 0;
  std::uint32_t filled_ = 0;
  char buffer_[4096];
};

}  // namespace

std::uint32_t read_writable_regions(Region* regions, std::uint32_t most) {
  MapsReader reader;
  if (!reader.usable()) return 0;
  std::uint32_t count = 0;
  Region region{};
  bool writable_private = false;
  bool is_kernels = false;
  while (reader.next(region, writable_private, is_kernels)) {
    if (!writable_private || is_kernels) continue;
    if (region.begin >= address_map::kSession && region.begin < address_map::kSessionEnd) continue;
    if (count == most) return 0;
    regions[count++] = region;
  }
  return count;
}

bool PageScanner::open() {
  descriptor_ =
      move_descriptor_up(raw_syscall(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  PageRange range{};
  std::uint64_t next = 0;
  if (descriptor_ >= 0 && scan(0, kPageSize, 0, &range, 1, &next) >= 0) return true;
  close();
  return false;
}

void PageScanner::close() {
  if (descriptor_ >= 0) raw_syscall(SYS_close, descriptor_);
  descriptor_ = -1;
}

long PageScanner::scan(std::uint64_t begin, std::uint64_t end, std::uint64_t mask, PageRange* ranges,
                       std::uint32_t most, std::uint64_t* next) const {
  ScanArgument argument;
  argument.start = begin;
  argument.end = end;
  argument.vector = reinterpret_cast<std::uint64_t>(ranges);
  argument.vector_length = most;
  argument.category_mask = mask;
  argument.category_any_of = page_is::kPresent | page_is::kSwapped;
  argument.return_mask = page_is::kPresent;
  const long count = raw_syscall(SYS_ioctl, descriptor_, kPagemapScan, &argument);
  *next = argument.walk_end;
  return count;
}

bool PageScanner::protect(std::uint64_t begin, std::uint64_t end) const {
  ScanArgument argument;
  argument.flags = kProtectMatching | kOnlyTracked;
  argument.start = begin;
  argument.end = end;
  argument.category_mask = page_is::kWritten;
  argument.return_mask = page_is::kWritten;
  while (argument.start < end) {
    if (raw_syscall(SYS_ioctl, descriptor_, kPagemapScan, &argument) < 0) return false;
    if (argument.walk_end <= argument.start) return false;
    argument.start = argument.walk_end;
  }
  return true;
}

int move_descriptor_up(long descriptor) {
  if (descriptor < 0) return -1;
  const long moved = raw_syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kLowestOwnDescriptor);
  if (moved < 0) return static_cast<int>(descriptor);
  raw_syscall(SYS_close, descriptor);
  return static_cast<int>(moved);
}

}  // namespace heddle::session
