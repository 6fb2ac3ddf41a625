// What the kernel tells a process of its own memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "core/base/pages.h"
#include "runtime/session/memory_map.h"

namespace heddle::session {
namespace {

class Mapping {
 public:
  Mapping(std::uint64_t pages, int protection, int flags, int file = -1) : bytes_(pages * kPageSize) {
    begin_ = mmap(nullptr, bytes_, protection, flags, file, 0);
    EXPECT_NE(begin_, MAP_FAILED);
  }
  ~Mapping() { munmap(begin_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::uint64_t begin() const { return reinterpret_cast<std::uint64_t>(begin_); }
  std::uint64_t end() const { return begin() + bytes_; }
  void touch(std::uint64_t page) { static_cast<char*>(begin_)[page * kPageSize] = 1; }

 private:
  std::uint64_t bytes_;
  void* begin_;
};

std::vector<Region> regions() {
  std::vector<Region> found(4096);
  found.resize(read_writable_regions(found.data(), 4096));
  return found;
}

// The region that holds all of the mapping; the kernel joins neighbours.
const Region* region_of(const std::vector<Region>& all, const Mapping& mapping) {
  for (const Region& one : all) {
    if (one.begin <= mapping.begin() && mapping.end() <= one.end) return &one;
  }
  return nullptr;
}

TEST(WritableRegions, ArePrivateAndCanBeWritten) {
  const int file = memfd_create("test", 0);
  ASSERT_EQ(ftruncate(file, kPageSize), 0);
  const Mapping own(3, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  const Mapping constant(3, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
  const Mapping shared(3, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  const Mapping of_file(1, PROT_READ | PROT_WRITE, MAP_PRIVATE, file);
  const std::vector<Region> all = regions();
  const Region* found = region_of(all, own);
  ASSERT_NE(found, nullptr);
  EXPECT_FALSE(found->file_backed);
  EXPECT_EQ(region_of(all, constant), nullptr);
  EXPECT_EQ(region_of(all, shared), nullptr);
  found = region_of(all, of_file);
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->file_backed);
  EXPECT_EQ(found->end - found->begin, kPageSize);
  close(file);
}

TEST(WritableRegions, AreInOrderAndHaveTheStack) {
  const std::vector<Region> all = regions();
  const auto here = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  bool has_stack = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_LT(all[i].begin, all[i].end);
    EXPECT_TRUE(i == 0 || all[i - 1].end <= all[i].begin);
    has_stack = has_stack || (all[i].begin <= here && here < all[i].end);
  }
  EXPECT_TRUE(has_stack);
}

TEST(WritableRegions, LeaveOutTheSessionsOwn) {
  void* own = map_pages_at(address_map::kSession + address_map::kGigabyte, kPageSize);
  ASSERT_NE(own, nullptr);
  for (const Region& one : regions())
    EXPECT_TRUE(one.end <= address_map::kSession || one.begin >= address_map::kSessionEnd);
  munmap(own, kPageSize);
}

TEST(WritableRegions, AreNoneWhereThereAreTooMany) {
  Region two[2];
  EXPECT_EQ(read_writable_regions(two, 2), 0u);
}

// More lines than are read at a time: each is read whole.
TEST(WritableRegions, AreFoundAmongMany) {
  constexpr std::uint64_t kPages = 400;
  const Mapping all(kPages, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
  for (std::uint64_t i = 1; i < kPages; i += 2)
    ASSERT_EQ(
        mprotect(reinterpret_cast<void*>(all.begin() + i * kPageSize), kPageSize, PROT_READ | PROT_WRITE), 0);
  std::uint64_t next = all.begin() + kPageSize;
  for (const Region& one : regions()) {
    if (one.begin < all.begin() || one.end > all.end() - kPageSize) continue;
    EXPECT_EQ(one.begin, next);
    EXPECT_EQ(one.end, next + kPageSize);
    next += 2 * kPageSize;
  }
  EXPECT_EQ(next, all.end() - kPageSize);
}

TEST(PageScanner, FindsThePagesThatAreInUse) {
  PageScanner scanner;
  if (!scanner.open()) GTEST_SKIP() << "the kernel has no PAGEMAP_SCAN (Linux 6.7)";
  Mapping memory(16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  madvise(reinterpret_cast<void*>(memory.begin()), 16 * kPageSize, MADV_NOHUGEPAGE);
  for (const std::uint64_t page : {2u, 3u, 7u, 15u}) memory.touch(page);
  PageRange ranges[4];
  std::uint64_t next = 0;
  ASSERT_EQ(scanner.scan(memory.begin(), memory.end(), 0, ranges, 4, &next), 3);
  EXPECT_EQ(next, memory.end());
  EXPECT_EQ(ranges[0].begin, memory.begin() + 2 * kPageSize);
  EXPECT_EQ(ranges[0].end, memory.begin() + 4 * kPageSize);
  EXPECT_EQ(ranges[2].end, memory.end());
  // With room for fewer it stops, and goes on from there.
  ASSERT_EQ(scanner.scan(memory.begin(), memory.end(), 0, ranges, 2, &next), 2);
  ASSERT_LT(next, memory.end());
  ASSERT_EQ(scanner.scan(next, memory.end(), 0, ranges, 2, &next), 1);
  EXPECT_EQ(ranges[0].begin, memory.begin() + 15 * kPageSize);
  scanner.close();
}

TEST(OwnDescriptors, AreOutOfTheProgramsWay) {
  const int file = open("/dev/null", O_RDONLY);
  const int moved = move_descriptor_up(file);
  EXPECT_GE(moved, 900);
  EXPECT_EQ(fcntl(file, F_GETFD), -1);
  EXPECT_EQ(fcntl(moved, F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(open("/dev/null", O_RDONLY), file) << "the program's next number is what it would be";
  close(file);
  close(moved);
  EXPECT_EQ(move_descriptor_up(-EPERM), -1);
}

}  // namespace
}  // namespace heddle::session
