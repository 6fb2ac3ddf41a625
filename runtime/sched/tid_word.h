// Where in libc's thread control block the kernel keeps the thread's id (struct pthread is private and
// differs between versions of libc).
//
// The kernel clears that word as the last act of a thread. Before, other words may hold the same number by
// chance: the upper half of an address is 0x7fff, which is the id of one thread in 32,768. So all words that
// hold the id are noted while the thread lives, and the one is taken that is 0 when it is gone.
#pragma once

#include <cstdint>

namespace heddle::sched {

class TidWord {
 public:
  // Notes the words of a control block that hold `tid`. False: there is none.
  bool note(const char* block, std::uint32_t tid) {
    bool any = false;
    for (std::uint32_t i = 0; i < kWords; ++i) {
      const bool holds = load(block, i) == tid;
      candidates_[i / 64] = (candidates_[i / 64] & ~(1ull << i % 64)) | std::uint64_t{holds} << i % 64;
      any = any || holds;
    }
    return any;
  }
  // The offset of a noted word that has been cleared since; 0: none has.
  std::uint32_t cleared(const char* block) const {
    for (std::uint32_t i = 0; i < kWords; ++i) {
      if ((candidates_[i / 64] >> i % 64 & 1) != 0 && load(block, i) == 0) return kFirst + 4 * i;
    }
    return 0;
  }

 private:
  static constexpr std::uint32_t kFirst = 0x80, kEnd = 0x900;
  static constexpr std::uint32_t kWords = (kEnd - kFirst) / 4;

  static std::uint32_t load(const char* block, std::uint32_t word) {
    return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(block + kFirst) + word, __ATOMIC_ACQUIRE);
  }

  std::uint64_t candidates_[(kWords + 63) / 64] = {};
};

}  // namespace heddle::sched
