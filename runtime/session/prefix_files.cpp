#include "runtime/session/prefix_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "core/base/raw_syscall.h"

namespace heddle::session {
namespace {

struct OpenFile {
  int descriptor;
  long offset;
};
constexpr int kMostDescriptors = 1024;

// The one mutable global of this file.
constinit struct {
  OpenFile files[kMostDescriptors] = {};
  std::uint32_t count = 0;
} kept;

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

void keep_offsets(int output) {
  struct stat output_status{};
  const bool has_output = output >= 0 && raw_syscall(SYS_fstat, output, &output_status) == 0;
  kept.count = 0;
  for (int i = 0; i < kMostDescriptors; ++i) {
    struct stat status{};
    if (raw_syscall(SYS_fstat, i, &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (has_output && same_file(status, output_status)) continue;
    const long offset = raw_syscall(SYS_lseek, i, 0, SEEK_CUR);
    if (offset >= 0) kept.files[kept.count++] = {i, offset};
  }
}

void restore_offsets() {
  for (std::uint32_t i = 0; i < kept.count; ++i)
    raw_syscall(SYS_lseek, kept.files[i].descriptor, kept.files[i].offset, SEEK_SET);
}

}  // namespace heddle::session
