#include "runtime/session/snapshot.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "core/base/pages.h"

namespace heddle::session {
namespace {

// Copies lie in the upper part of the session's block, which is far larger than any snapshot worth taking.
constexpr std::uint64_t kCopies = address_map::kSession + 4 * address_map::kGigabyte;
constexpr std::uint64_t kMostCopied = 8 * address_map::kGigabyte;
static_assert(kCopies + kMostCopied + kMostCopied / 8 <= address_map::kSessionEnd);
// Above this, copying everything back costs more than a fork.
constexpr std::uint64_t kMostCopiedBack = std::uint64_t{8} << 20;
constexpr std::uint64_t kManyPages = 4096;

// linux/userfaultfd.h of Linux 6.7.
constexpr std::uint64_t kFeatureAsynchronousProtection = std::uint64_t{1} << 15;
constexpr long kUserModeOnly = 1;

constexpr std::uint64_t page_begin(std::uint64_t address) { return address & ~(kPageSize - 1); }
constexpr std::uint64_t page_end(std::uint64_t address) { return page_begin(address + kPageSize - 1); }

std::uint64_t page_faults() {
  rusage usage{};
  raw_syscall(SYS_getrusage, RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt + usage.ru_majflt);
}

bool can_count_faults() {
  rusage usage{};
  return raw_syscall(SYS_getrusage, RUSAGE_THREAD, &usage) == 0;
}

// Nothing is given back: asked of no page.
bool can_give_back() { return raw_syscall(SYS_madvise, 0, 0, MADV_DONTNEED) == 0; }

}  // namespace

bool Snapshot::refuse(const char* why) {
  why_ = why;
  scanner_.close();
  return false;
}

bool Snapshot::take(std::span<const AddressRange> spare) {
  run_count_ = 0;
  copied_ = 0;
  // Whoever cannot count page faults or give pages back puts back wrong contents.
  if (!can_count_faults()) return refuse("the system denies getrusage");
  if (!can_give_back()) return refuse("the system denies madvise");
  if (!scanner_.open()) return refuse("the kernel has no PAGEMAP_SCAN (Linux 6.7)");
  region_count_ = read_writable_regions(regions_, kMaxRegions);
  if (region_count_ == 0) return refuse("/proc/self/maps cannot be read, or has too many regions");
  for (const AddressRange& range : spare) {
    if (!leave_out(page_end(range.begin), page_begin(range.begin + range.bytes)))
      return refuse("the program's memory lies in too many regions");
  }
  if (!find_runs()) return refuse("the program's memory lies in too many pieces");
  if (!copy_runs()) return refuse("the program has too much memory in use");
  for (const AddressRange& range : spare) {
    const std::uint64_t end = range.begin + range.bytes;
    const std::uint64_t first_page_end = page_end(range.begin);
    if (!cut_out(range.begin, first_page_end < end ? first_page_end : end) ||
        (first_page_end < end && !cut_out(page_begin(end), end)))
      return refuse("the program's memory lies in too many pieces");
  }
  scanner_.close();  // it belongs to this process's memory; each child opens its own
  return true;
}

// REQUIRES: whole pages, which are in one region or in none.
bool Snapshot::leave_out(std::uint64_t begin, std::uint64_t end) {
  for (std::uint32_t i = 0; i < region_count_ && begin < end; ++i) {
    const Region whole = regions_[i];
    if (begin < whole.begin || end > whole.end) continue;
    // What is left before and behind.
    if (begin > whole.begin && end < whole.end) {
      if (region_count_ == kMaxRegions) return false;
      for (std::uint32_t k = region_count_++; k > i; --k) regions_[k] = regions_[k - 1];
      regions_[i].end = begin;
      regions_[i + 1].begin = end;
    } else if (begin > whole.begin) {
      regions_[i].end = begin;
    } else if (end < whole.end) {
      regions_[i].begin = end;
    } else {
      for (std::uint32_t k = i + 1; k < region_count_; ++k) regions_[k - 1] = regions_[k];
      --region_count_;
    }
    return true;
  }
  return true;
}

void Snapshot::discard() {
  if (copy_capacity_ != 0) raw_syscall(SYS_munmap, kCopies, copy_capacity_);
  copy_capacity_ = 0;
  run_count_ = 0;
}

bool Snapshot::add_run(std::uint64_t begin, std::uint64_t end) {
  if (run_count_ != 0 && runs_[run_count_ - 1].end == begin) {
    runs_[run_count_ - 1].end = end;
  } else {
    if (run_count_ == kMaxRuns) return false;
    runs_[run_count_++] = {begin, end, nullptr};
  }
  copied_ += end - begin;
  return true;
}

bool Snapshot::find_runs() {
  for (std::uint32_t i = 0; i < region_count_; ++i) {
    const Region& region = regions_[i];
    if (region.file_backed) {
      // A page that is not in memory yet holds what the file has, not zeros.
      if (!add_run(region.begin, region.end)) return false;
      continue;
    }
    for (std::uint64_t at = region.begin; at < region.end;) {
      std::uint64_t next = region.end;
      const long count = scanner_.scan(at, region.end, 0, ranges_, kMaxRanges, &next);
      if (count < 0 || next <= at) return false;
      for (long k = 0; k < count; ++k) {
        if (!add_run(ranges_[k].begin, ranges_[k].end)) return false;
      }
      at = next;
    }
  }
  return true;
}

bool Snapshot::copy_runs() {
  if (copied_ > kMostCopied) return false;
  if (copied_ > copy_capacity_) {
    if (copy_capacity_ != 0) raw_syscall(SYS_munmap, kCopies, copy_capacity_);
    const std::uint64_t wanted = copied_ + copied_ / 8;
    copy_capacity_ = 0;
    if (map_memory(kCopies, wanted) != static_cast<long>(kCopies)) return false;
    copy_capacity_ = wanted;
  }
  // Executions find their journal, without a page more to put back.
  address_space_journal = &journal_;
  char* copy = reinterpret_cast<char*>(kCopies);
  for (std::uint32_t i = 0; i < run_count_; ++i) {
    Run& run = runs_[i];
    run.copy = copy;
    memcpy(copy, reinterpret_cast<const void*>(run.begin), run.end - run.begin);
    copy += run.end - run.begin;
  }
  address_space_journal = nullptr;
  return true;
}

// REQUIRES: inside a page.
bool Snapshot::cut_out(std::uint64_t begin, std::uint64_t end) {
  const std::uint32_t at = first_run_after(begin);
  if (begin == end || at == run_count_ || runs_[at].begin > begin) return true;  // the page was not in use
  const Run whole = runs_[at];
  const std::uint32_t before = begin > whole.begin ? 1 : 0, behind = end < whole.end ? 1 : 0;
  if (run_count_ + before + behind > kMaxRuns) return false;
  for (std::uint32_t i = run_count_; i-- > at + 1;) runs_[i + before + behind] = runs_[i];
  run_count_ += before + behind;
  if (before != 0) runs_[at] = {whole.begin, begin, whole.copy};
  runs_[at + before] = {begin, end, nullptr};
  if (behind != 0) runs_[at + before + 1] = {end, whole.end, whole.copy + (end - whole.begin)};
  return true;
}

void Snapshot::begin(bool may_track) {
  tracking_ = false;
  restored_ = 0;
  protect_after_ = kProtectAfter;
  pages_before_ = 0;
  range_count_ = 0;
  journal_.clear();
  address_space_journal = &journal_;
  if (!scanner_.open()) return;
  if (may_track && track()) {
    tracking_ = true;
    return;
  }
  if (userfault_ >= 0) raw_syscall(SYS_close, userfault_);
  userfault_ = -1;
}

bool Snapshot::track() {
  userfault_ = move_descriptor_up(raw_syscall(SYS_userfaultfd, O_CLOEXEC | kUserModeOnly));
  if (userfault_ < 0) return false;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kFeatureAsynchronousProtection;
  if (raw_syscall(SYS_ioctl, userfault_, UFFDIO_API, &api) != 0) return false;
  for (std::uint32_t i = 0; i < region_count_; ++i) {
    uffdio_register registration{};
    registration.range = {regions_[i].begin, regions_[i].end - regions_[i].begin};
    registration.mode = UFFDIO_REGISTER_MODE_WP;
    if (raw_syscall(SYS_ioctl, userfault_, UFFDIO_REGISTER, &registration) != 0) return false;
  }
  return protect_runs();
}

// Only pages that are there: protecting an empty range fills page tables, and the heap's range is a terabyte.
bool Snapshot::protect_runs() {
  restored_ = 0;
  for (std::uint32_t i = 0; i < run_count_;) {
    const std::uint64_t begin = runs_[i].begin;
    std::uint64_t end = runs_[i].end;
    for (++i; i < run_count_ && runs_[i].begin == end; ++i) end = runs_[i].end;
    if (!scanner_.protect(begin, end)) return false;
  }
  return true;
}

bool Snapshot::restore() {
  if (!journal_.complete) return false;
  if (!tracking_ && copied_ > kMostCopiedBack) return false;
  for (std::uint32_t i = 0; i < journal_.mapped_count; ++i)
    raw_syscall(SYS_munmap, journal_.mapped[i].begin, journal_.mapped[i].bytes);
  if (journal_.huge_pages) forbid_huge_pages();
  if (tracking_) {
    if (!restore_written()) return false;
    restore_discarded();
  } else {
    // Before it is looked up which pages there are: those that were given back are not.
    restore_discarded();
    restore_by_copying();
  }
  journal_.clear();
  return true;
}

bool Snapshot::restore_written() {
  const bool protect_anew = ++restored_ >= protect_after_ || pages_restored_ > kManyPages;
  // Walking the page tables of terabytes that are mostly holes costs more than all the rest. Nothing is
  // protected anew between most resets, so that a page is touched or written for the first time only with a
  // page fault.
  const std::uint64_t faults = page_faults();
  if (range_count_ != 0 && faults == faults_ && !protect_anew) {
    restore_ranges(false);
    return true;
  }
  if (!scan_and_restore(protect_anew)) return false;
  if (protect_anew) {
    range_count_ = 0;
    choose_protect_after();
    if (!protect_runs()) return false;
  }
  faults_ = page_faults();
  return true;
}

// What is put back has not become less since the last time: nothing was to be forgotten.
void Snapshot::choose_protect_after() {
  const bool as_many = 8 * pages_restored_ >= 7 * pages_before_;
  protect_after_ = !as_many                          ? kProtectAfter
                   : protect_after_ < kProtectAtLast ? 2 * protect_after_
                                                     : protect_after_;
  pages_before_ = pages_restored_;
}

// Do ranges_ have all that was written? Walks the page tables only after a page fault.
bool Snapshot::knows_written() {
  if (range_count_ != 0 && page_faults() == faults_) return true;
  const std::uint64_t last = regions_[region_count_ - 1].end;
  std::uint64_t next = last;
  const long count = scanner_.scan(regions_[0].begin, last, page_is::kTracked | page_is::kWritten, ranges_,
                                   kMaxRanges, &next);
  range_count_ = count > 0 && next >= last ? static_cast<std::uint32_t>(count) : 0;
  faults_ = page_faults();
  return range_count_ != 0;
}

bool Snapshot::is_unchanged(std::span<const AddressRange> parts) {
  if (!tracking_ || !knows_written()) return false;
  for (const AddressRange& part : parts) {
    const std::uint64_t part_end = part.begin + part.bytes;
    for (std::uint32_t i = 0; i < range_count_ && ranges_[i].begin < part_end; ++i) {
      const std::uint64_t begin = ranges_[i].begin > part.begin ? ranges_[i].begin : part.begin;
      const std::uint64_t end = ranges_[i].end < part_end ? ranges_[i].end : part_end;
      if (begin < end && !holds_copy(begin, end)) return false;
    }
  }
  return true;
}

bool Snapshot::holds_copy(std::uint64_t begin, std::uint64_t end) const {
  for (std::uint32_t run = first_run_after(begin); begin < end; ++run) {
    // Nothing was here, or nothing that is kept.
    if (run == run_count_ || runs_[run].begin > begin || runs_[run].copy == nullptr) return false;
    const std::uint64_t until = runs_[run].end < end ? runs_[run].end : end;
    const void* copy = runs_[run].copy + (begin - runs_[run].begin);
    if (memcmp(reinterpret_cast<const void*>(begin), copy, until - begin) != 0) return false;
    begin = until;
  }
  return true;
}

bool Snapshot::scan_and_restore(bool give_back) {
  pages_restored_ = 0;
  const std::uint64_t last = regions_[region_count_ - 1].end;
  bool in_one_go = true;
  for (std::uint64_t at = regions_[0].begin; at < last;) {
    std::uint64_t next = last;
    const long count =
        scanner_.scan(at, last, page_is::kTracked | page_is::kWritten, ranges_, kMaxRanges, &next);
    if (count < 0 || next <= at) return false;
    range_count_ = static_cast<std::uint32_t>(count);
    restore_ranges(give_back);
    for (long i = 0; i < count; ++i) pages_restored_ += (ranges_[i].end - ranges_[i].begin) / kPageSize;
    in_one_go = in_one_go && next >= last;
    at = next;
  }
  if (!in_one_go) range_count_ = 0;
  return true;
}

void Snapshot::restore_ranges(bool give_back) {
  std::uint32_t run = range_count_ != 0 ? first_run_after(ranges_[0].begin) : 0;
  for (std::uint32_t i = 0; i < range_count_; ++i)
    restore_range(ranges_[i].begin, ranges_[i].end, run, give_back);
}

// `run`: the first that may lie in or after the range; moves on with it.
void Snapshot::restore_range(std::uint64_t begin, std::uint64_t end, std::uint32_t& run, bool give_back) {
  while (begin < end) {
    while (run < run_count_ && runs_[run].end <= begin) ++run;
    const std::uint64_t known = run < run_count_ ? runs_[run].begin : end;
    if (known > begin) {
      // Nothing was here.
      const std::uint64_t until = known < end ? known : end;
      if (give_back) {
        raw_syscall(SYS_madvise, begin, until - begin, MADV_DONTNEED);
      } else {
        memset(reinterpret_cast<void*>(begin), 0, until - begin);
      }
      begin = until;
    } else {
      const std::uint64_t until = runs_[run].end < end ? runs_[run].end : end;
      if (runs_[run].copy != nullptr)
        memcpy(reinterpret_cast<void*>(begin), runs_[run].copy + (begin - runs_[run].begin), until - begin);
      begin = until;
    }
  }
}

std::uint32_t Snapshot::first_run_after(std::uint64_t address) const {
  std::uint32_t low = 0, high = run_count_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (runs_[middle].end <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Pages that were given back look untouched, and hold nothing.
void Snapshot::restore_discarded() {
  for (std::uint32_t i = 0; i < journal_.discarded_count; ++i) {
    const std::uint64_t begin = journal_.discarded[i].begin, end = begin + journal_.discarded[i].bytes;
    for (std::uint32_t k = first_run_after(begin); k < run_count_ && runs_[k].begin < end; ++k) {
      if (runs_[k].copy == nullptr) continue;
      const std::uint64_t from = runs_[k].begin > begin ? runs_[k].begin : begin;
      const std::uint64_t to = runs_[k].end < end ? runs_[k].end : end;
      memcpy(reinterpret_cast<void*>(from), runs_[k].copy + (from - runs_[k].begin), to - from);
    }
  }
}

// The pages that are there now: those of the snapshot, and those that executions have touched since.
void Snapshot::restore_by_copying() {
  const bool give_back = ++restored_ >= kProtectAfter;
  if (give_back) restored_ = 0;
  const std::uint64_t faults = page_faults();
  if ((range_count_ == 0 || faults != faults_) && !find_present_ranges()) range_count_ = 0;
  if (range_count_ != 0 && !give_back) {
    restore_ranges(false);
  } else {
    std::uint32_t run = 0;
    for (std::uint32_t i = 0; i < region_count_; ++i)
      restore_range(regions_[i].begin, regions_[i].end, run, true);
    range_count_ = 0;
  }
  faults_ = page_faults();
}

bool Snapshot::find_present_ranges() {
  range_count_ = 0;
  for (std::uint32_t i = 0; i < region_count_; ++i) {
    std::uint64_t next = 0;
    const long count = scanner_.scan(regions_[i].begin, regions_[i].end, 0, ranges_ + range_count_,
                                     kMaxRanges - range_count_, &next);
    if (count < 0 || next < regions_[i].end) return false;
    range_count_ += static_cast<std::uint32_t>(count);
    if (range_count_ == kMaxRanges) return false;
  }
  return true;
}

}  // namespace heddle::session
