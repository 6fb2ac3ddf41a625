#include "runtime/engine/choice_log.h"

#include <gtest/gtest.h>

#include "tests/unit/engine/small_channel.h"

namespace heddle::engine {
namespace {

class ChoiceLogTest : public ::testing::Test {
 protected:
  ChoiceLogTest() : channel_(sizes()) { log_.start(channel_.channel()); }

  static ChannelSizes sizes() {
    ChannelSizes sizes = testing::SmallChannel::little();
    sizes.choices = 3;
    return sizes;
  }
  static Choice choice(std::uint64_t number) {
    return Choice::make(ChoiceKind::kValue, 0, ChoiceKey::number(number));
  }
  void add(std::uint64_t number) {
    log_.add([&] { return choice(number); });
  }
  bool overflown() const { return (channel_.header().current.flags & result_flags::kChoiceLogOverflow) != 0; }

  testing::SmallChannel channel_;
  ChoiceLog log_;
};

TEST_F(ChoiceLogTest, ChoicesLieInTheChannelInTheirOrder) {
  add(5);
  add(7);
  EXPECT_EQ(log_.count(), 2u);
  EXPECT_EQ(channel_.channel().choices()[0], choice(5));
  EXPECT_EQ(channel_.channel().choices()[1], choice(7));
  EXPECT_FALSE(overflown());
}

TEST_F(ChoiceLogTest, ChoicesWithoutRoomAreCountedAndNotMade) {
  const std::uint32_t room = channel_.channel().choice_capacity();
  for (std::uint32_t i = 0; i < room; ++i) add(i);
  EXPECT_FALSE(overflown());
  bool made = false;
  log_.add([&] {
    made = true;
    return choice(9);
  });
  EXPECT_FALSE(made);
  EXPECT_TRUE(overflown());
  EXPECT_EQ(log_.count(), room + 1);
}

TEST_F(ChoiceLogTest, WhatWasRewoundIsWrittenOver) {
  add(1);
  add(2);
  log_.rewind(1);
  add(3);
  EXPECT_EQ(log_.count(), 2u);
  EXPECT_EQ(channel_.channel().choices()[1], choice(3));
}

}  // namespace
}  // namespace heddle::engine
