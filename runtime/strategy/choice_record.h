// The picks of an execution, kept until it is known whether they are worth keeping.
#pragma once

#include "core/base/pages.h"
#include "core/trace/corpus.h"
#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

class ChoiceRecord {
 public:
  void clear() { log_->count = 0; }
  void add(const ChoicePoint& point, std::uint32_t picked) {
    if (log_->count < Corpus::kMostPicks)
      log_->picks[log_->count++] = Pick::of(point.kind, point.key(picked));
  }
  std::uint32_t size() const { return log_->count; }
  // The first `count` of them.
  std::span<const Pick> picks(std::uint32_t count) const { return {log_->picks, count}; }

 private:
  // Who runs an execution and who says that it is over may be two processes.
  struct Log {
    std::uint32_t count;
    Pick picks[Corpus::kMostPicks];
  };
  Log* log_ = static_cast<Log*>(map_shared_pages(sizeof(Log)));
};

}  // namespace heddle::strategy
