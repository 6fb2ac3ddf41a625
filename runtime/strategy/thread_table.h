// A record for each thread of an execution, all zero until it is used. Pages that no thread has reached are
// never touched.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/freestanding.h"
#include "core/base/ids.h"
#include "core/base/pages.h"

namespace heddle::strategy {

template <typename T>
class ThreadTable {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ThreadTable() : records_(static_cast<T*>(map_pages(kMaxThreads * sizeof(T)))) {}
  ThreadTable(const ThreadTable&) = delete;
  ThreadTable& operator=(const ThreadTable&) = delete;

  T& operator[](ThreadId thread) {
    const std::uint32_t i = index_of(thread);
    if (i >= used_) used_ = i + 1;
    return records_[i];
  }
  std::uint32_t size() const { return used_; }
  void clear() {
    memset(static_cast<void*>(records_), 0, used_ * sizeof(T));
    used_ = 0;
  }

 private:
  T* records_;
  std::uint32_t used_ = 0;
};

}  // namespace heddle::strategy
