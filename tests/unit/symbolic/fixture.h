// A symbolic trace in ordinary memory, written by a Tracer and read back as the tool does.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "runtime/symbolic/tracer.h"
#include "tool/replay/symbolic_oracle.h"
#include "tool/trace/symbolic_tables.h"

namespace heddle::symbolic {

class TracedTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kCapacity = 4096;

  TracedTest() : memory_(sizeof(Header) + kCapacity * (sizeof(Expression) + sizeof(Record))) {
    header_ = new (memory_.data()) Header;
    header_->expression_capacity = header_->record_capacity = kCapacity;
    tracer_.start(header_, &handing_over_);
  }

  ExpressionTable& table() { return tracer_.expressions(); }

  // An access to shared memory, with an event of its own.
  Moment shared(ThreadId thread = kMainThread) { return {thread, 1, EventId{next_event_++}, true}; }
  Moment private_access(ThreadId thread = kMainThread) const {
    return {thread, 1, next_event_ == 0 ? kNoEvent : EventId{next_event_ - 1}, false};
  }
  ExpressionId read(Address address, std::uint64_t value, unsigned bytes = 4) {
    return tracer_.load(shared(), address, value, bytes);
  }

  SymbolicTables tables() const {
    SymbolicTables t;
    const auto* expressions = reinterpret_cast<const Expression*>(header_ + 1);
    const auto* records = reinterpret_cast<const Record*>(expressions + kCapacity);
    t.expressions.assign(expressions, expressions + header_->expression_count);
    t.records.assign(records, records + header_->record_count);
    t.mismatches = header_->mismatches;
    return t;
  }
  void expect_right() const {
    EXPECT_EQ(defect_of(tables()), "");
    EXPECT_EQ(replay::first_wrong_value(tables()), "");
  }

  std::vector<std::uint64_t> memory_;
  Header* header_ = nullptr;
  std::uint32_t handing_over_ = 0;
  std::uint32_t next_event_ = 0;
  Tracer tracer_;
};

}  // namespace heddle::symbolic
