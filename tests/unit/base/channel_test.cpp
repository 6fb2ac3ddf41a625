// The layout of the memory that runtime and tool share. The other side may be a crashed or hostile program,
// so a header is believed only where it stays inside the mapping.
#include "core/trace/channel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

namespace heddle {
namespace {

constexpr ChannelSizes kSmall{16, 32, 8, 4, 64, 4, 2};

class ChannelTest : public testing::Test {
 protected:
  ChannelTest()
      : bytes_(Channel::bytes_needed(kSmall)),
        memory_(static_cast<char*>(std::aligned_alloc(4096, bytes_)), std::free) {
    std::memset(memory_.get(), 0, bytes_);
    channel_ = Channel::initialise(memory_.get(), kSmall);
  }
  bool valid() const { return Channel::valid(memory_.get(), bytes_); }
  ChannelHeader& header() { return *channel_.header(); }

  std::uint64_t bytes_;
  std::unique_ptr<char, void (*)(void*)> memory_;
  Channel channel_;
};

TEST_F(ChannelTest, InitialisedIsValid) {
  EXPECT_TRUE(valid());
  EXPECT_EQ(header().bytes, bytes_);
  EXPECT_EQ(channel_.choice_capacity(), 16u);
  EXPECT_EQ(channel_.event_capacity(), 32u);
  EXPECT_EQ(channel_.finding_capacity(), 4u);
  EXPECT_EQ(channel_.ring_capacity(), 4u);
  EXPECT_EQ(channel_.stacks()->capacity, 8u);
}

TEST_F(ChannelTest, SectionsLieOneAfterTheOther) {
  std::uint64_t end = sizeof(ChannelHeader);
  const ChannelHeader& h = header();
  for (const Section& s :
       {h.choices, h.events, h.stacks, h.findings, h.text, h.ring, h.module_text, h.outcome_text, h.replay}) {
    EXPECT_GE(s.offset, end);
    EXPECT_EQ(s.offset % 64, 0u);
    end = s.offset + s.bytes;
  }
  EXPECT_LE(end, bytes_);
}

TEST_F(ChannelTest, EveryByteOfEverySectionCanBeWritten) {
  for (std::uint32_t i = 0; i < channel_.choice_capacity(); ++i) channel_.choices()[i] = {~0ull};
  for (std::uint32_t i = 0; i < 2; ++i) channel_.replay()[i] = {~0ull};
  for (std::uint32_t i = 0; i < channel_.ring_capacity(); ++i) channel_.ring()[i].steps = ~0ull;
  EXPECT_TRUE(valid());
  EXPECT_EQ(channel_.stacks()->capacity, 8u);
}

TEST_F(ChannelTest, WrongMagicIsRefused) {
  header().magic ^= 1;
  EXPECT_FALSE(valid());
}

TEST_F(ChannelTest, TruncatedMappingIsRefused) {
  EXPECT_FALSE(Channel::valid(memory_.get(), 0));
  EXPECT_FALSE(Channel::valid(memory_.get(), sizeof(ChannelHeader) - 1));
  EXPECT_FALSE(Channel::valid(memory_.get(), bytes_ - 1));
}

TEST_F(ChannelTest, LargerMappingIsFine) { EXPECT_TRUE(Channel::valid(memory_.get(), bytes_ + 4096)); }

TEST_F(ChannelTest, SizeBeyondTheMappingIsRefused) {
  header().bytes = bytes_ + 1;
  EXPECT_FALSE(valid());
}

TEST_F(ChannelTest, HostileSectionsAreRefused) {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  Section ChannelHeader::* const sections[] = {
      &ChannelHeader::choices,     &ChannelHeader::events,       &ChannelHeader::stacks,
      &ChannelHeader::findings,    &ChannelHeader::text,         &ChannelHeader::ring,
      &ChannelHeader::module_text, &ChannelHeader::outcome_text, &ChannelHeader::replay};
  for (Section ChannelHeader::* const section : sections) {
    const Section good = header().*section;
    for (const Section& bad :
         {Section{bytes_, 1}, Section{bytes_ + 1, 0}, Section{kHuge, 0}, Section{kHuge - 1, 2},
          Section{good.offset, bytes_}, Section{good.offset, kHuge}, Section{0, 8},
          Section{sizeof(ChannelHeader) - 1, 1}}) {
      header().*section = bad;
      EXPECT_FALSE(valid()) << bad.offset << " + " << bad.bytes;
    }
    header().*section = good;
    EXPECT_TRUE(valid());
  }
}

TEST_F(ChannelTest, TextIsKeptAndOffsetZeroMeansNone) {
  EXPECT_EQ(channel_.add_text("", 0), 0u);
  const std::uint32_t first = channel_.add_text("abc", 3);
  const std::uint32_t second = channel_.add_text("de", 2);
  ASSERT_NE(first, 0u);
  ASSERT_NE(second, 0u);
  EXPECT_STREQ(channel_.text() + first, "abc");
  EXPECT_STREQ(channel_.text() + second, "de");
}

TEST_F(ChannelTest, TextWithoutRoomIsLeftOut) {
  const std::string long_text(64, 'x');
  EXPECT_EQ(channel_.add_text(long_text.data(), long_text.size()), 0u);
  const std::uint32_t small = channel_.add_text("ok", 2);
  EXPECT_STREQ(channel_.text() + small, "ok");
}

}  // namespace
}  // namespace heddle
