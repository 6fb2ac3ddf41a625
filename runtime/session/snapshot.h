// The memory of the process at the first choice, and the way back to it without a fork.
//
// The zygote takes the snapshot; its children inherit it and restore it between the executions of a batch.
// Everything private and writable is put back, the program's and the runtime's own alike, except for the
// session's block (address_map::kSession), in which this class, its copies and the session's state lie.
// Kernel state is not: see syscall_gate.h for who looks after that.
//
// Two ways, by what the kernel has:
//   tracking  userfaultfd's asynchronous write protection says which pages were written (Linux 6.7). A page
//   that was
//             written once counts as written from then on and is copied back each time, which costs a tenth
//             of a page fault; every so often all are protected anew.
//   copying   every page that was there is copied back, the others are given back to the kernel.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/address_space.h"
#include "runtime/session/memory_map.h"

namespace heddle::session {

class Snapshot {
 public:
  static constexpr std::uint32_t kMaxRegions = 4096;
  // Protecting the pages anew costs a fault for each that is written again: rare enough to cost nothing,
  // often enough to forget the pages of one odd execution. Twice as rare whenever there was none to forget.
  static constexpr std::uint32_t kProtectAfter = 1024;
  static constexpr std::uint32_t kProtectAtLast = 1u << 16;
  static constexpr std::uint32_t kMaxRuns = 1u << 16;
  static constexpr std::uint32_t kMaxRanges = 1u << 14;

  // Copies what is in memory now. What is spare is not put back; whole pages of it are not copied either.
  // In the zygote, before it forks. False: this kernel or this process is not made for it (`why` says it),
  // and executions have to be forked.
  bool take(std::span<const AddressRange> spare);
  // Gives the copies back: each page of theirs makes every fork dearer.
  void discard();
  const char* why() const { return why_; }
  std::uint64_t bytes() const { return copied_; }

  // In a child of the zygote, before its first execution: begins to track writes, if it may.
  void begin(bool may_track);
  bool tracking() const { return tracking_; }

  // Puts the memory back. REQUIRES: runs on a stack inside the session's block. False: not possible, nothing
  // of the program may run in this process any more.
  bool restore();

  // What executions will write from here on differs from what they have written so far.
  void forget_written() { restored_ = protect_after_; }

  // Do these parts of memory hold what they held, as far as it is cheap to say? Byte-exact.
  bool is_unchanged(std::span<const AddressRange> parts);

  AddressSpaceJournal& journal() { return journal_; }

 private:
  // Memory that was in use when the snapshot was taken: whole pages, up to where spare memory begins or ends.
  struct Run {
    std::uint64_t begin;
    std::uint64_t end;
    const char* copy;  // null: spare
  };

  bool refuse(const char* why);
  bool leave_out(std::uint64_t begin, std::uint64_t end);
  bool find_runs();
  bool add_run(std::uint64_t begin, std::uint64_t end);
  bool copy_runs();
  bool cut_out(std::uint64_t begin, std::uint64_t end);
  bool track();
  bool protect_runs();
  void choose_protect_after();
  void restore_by_copying();
  bool find_present_ranges();
  bool restore_written();
  bool knows_written();
  bool scan_and_restore(bool give_back);
  bool holds_copy(std::uint64_t begin, std::uint64_t end) const;
  void restore_ranges(bool give_back);
  void restore_range(std::uint64_t begin, std::uint64_t end, std::uint32_t& run, bool give_back);
  void restore_discarded();
  std::uint32_t first_run_after(std::uint64_t address) const;

  const char* why_ = "";
  PageScanner scanner_;
  int userfault_ = -1;
  bool tracking_ = false;
  std::uint32_t restored_ = 0;  // since the pages were protected
  std::uint32_t protect_after_ = kProtectAfter;
  std::uint64_t pages_restored_ = 0;  // by the latest restore
  std::uint64_t pages_before_ = 0;    // when they were protected last
  std::uint64_t faults_ = 0;          // page faults of this process when ranges_ was last complete
  std::uint32_t range_count_ = 0;
  std::uint32_t region_count_ = 0;
  std::uint32_t run_count_ = 0;
  std::uint64_t copied_ = 0;
  std::uint64_t copy_capacity_ = 0;
  AddressSpaceJournal journal_;
  // Two megabytes that nobody may write before they are needed: each page in use makes every fork dearer.
  Region regions_[kMaxRegions];
  Run runs_[kMaxRuns];
  PageRange ranges_[kMaxRanges];
};

}  // namespace heddle::session
