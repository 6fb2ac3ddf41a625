#include "tool/artifact/container.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tool/artifact/codec.h"
#include "tool/base/bytes.h"
#include "tool/base/crc32c.h"

namespace heddle {
namespace {

TEST(Crc32c, KnownAnswers) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);            // the check value of CRC-32/ISCSI
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c("6789", crc32c("12345")), 0xe3069283u);
}

TEST(Bytes, VarintsRoundTripAndStopAtTheEnd) {
  const std::uint64_t numbers[] = {0, 1, 127, 128, 300, 1ull << 32, ~0ull};
  ByteWriter w;
  for (const std::uint64_t n : numbers) w.varint(n);
  for (const std::uint64_t n : numbers) w.signed_varint(static_cast<std::int64_t>(n));
  ByteReader r(w.bytes());
  for (const std::uint64_t n : numbers) EXPECT_EQ(r.varint(), n);
  for (const std::uint64_t n : numbers) EXPECT_EQ(r.signed_varint(), static_cast<std::int64_t>(n));
  EXPECT_TRUE(r.at_end());
  EXPECT_FALSE(r.failed());
  r.varint();
  EXPECT_TRUE(r.failed());
  EXPECT_EQ(r.varint(), 0u);
}

TEST(Bytes, AVarintOfMoreThan64BitsFails) {
  ByteReader r(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"));
  r.varint();
  EXPECT_TRUE(r.failed());
}

TEST(Bytes, ACountThatTheRestCannotHoldFails) {
  ByteWriter w;
  w.varint(~0ull);
  w.raw("xxxx");
  ByteReader r(w.bytes());
  EXPECT_EQ(r.count(1), 0u);
  EXPECT_TRUE(r.failed());
}

TEST(Container, KeepsOrderTypesAndBytes) {
  const std::vector<ArtifactSection> sections = {
      {7, false, "abc"}, {9, true, std::string(100'000, 'x')}, {7, false, ""}};
  const std::string file = write_container(sections);
  EXPECT_LT(file.size(), 1000u);
  const auto read = read_container(file);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*read)[i].type, sections[i].type);
    EXPECT_EQ((*read)[i].critical, sections[i].critical);
    EXPECT_EQ((*read)[i].payload, sections[i].payload);
  }
}

TEST(Container, ADecompressionBombIsRefusedByItsLimit) {
  const std::string file = write_container({{1, false, std::string(50u << 20, 'x')}});
  EXPECT_LT(file.size(), 100'000u);
  ReadLimits limits;
  limits.payload_bytes = 1 << 20;
  const auto read = read_container(file, limits);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("at most 1048576"), std::string::npos);
}

TEST(Container, AnotherMajorVersionIsNamed) {
  std::string file = write_container({});
  file[8] = 9;
  ByteWriter crc;
  crc.fixed32(crc32c(std::string_view(file).substr(0, 12)));
  file.replace(12, 4, crc.bytes());
  const auto read = read_container(file);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("format version 9."), std::string::npos);
}

TEST(Codec, UnknownSectionsAreSkippedUnlessCritical) {
  auto sections = encode_trace(Trace{});
  sections.insert(sections.begin(), {1000, false, "from the future"});
  EXPECT_TRUE(decode_trace(sections));
  sections.front().critical = true;
  const auto refused = decode_trace(sections);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("type 1000"), std::string::npos);
}

TEST(Codec, UnknownFieldsAreSkipped) {
  auto sections = encode_trace(Trace{});
  ByteWriter more;
  more.raw(sections[0].payload);
  more.number(77, 5);
  more.text(78, "new");
  sections[0].payload = more.take();
  EXPECT_TRUE(decode_trace(sections));
}

// The findings section of a trace with one finding, of a kind by number.
std::vector<ArtifactSection> with_kind(std::uint64_t number) {
  auto sections = encode_trace(Trace{});
  ByteWriter finding, findings;
  finding.number(1, number);
  finding.text(7, "what went wrong");
  findings.element(1, finding.bytes());
  const auto section =
      std::ranges::find(sections, static_cast<std::uint32_t>(SectionType::kFindings), &ArtifactSection::type);
  section->payload = findings.take();
  return sections;
}

// The numbers are part of the format: these are the ones of version 1.6.
TEST(Codec, KindsOfFindingsKeepTheirNumbers) {
  const char* const kNames[] = {"none",
                                "data race",
                                "assertion failure",
                                "abort",
                                "uncaught exception",
                                "std::terminate",
                                "fatal signal",
                                "stack overflow",
                                "deadlock",
                                "lost wake-up",
                                "livelock",
                                "heap use after free",
                                "double free",
                                "invalid free",
                                "uninitialised atomic",
                                "mutex misuse",
                                "condition variable misuse",
                                "rwlock misuse",
                                "barrier misuse",
                                "semaphore misuse",
                                "thread misuse",
                                "non-zero exit status",
                                "reported failure",
                                "not linearizable",
                                "out of memory",
                                "thread leak",
                                "lock-order inversion",
                                "lock held at thread end",
                                "use of the stack of a thread that has ended",
                                "use of the thread-local storage of a thread that has ended",
                                "test failure"};
  for (std::size_t number = 0; number < std::size(kNames); ++number) {
    const auto read = decode_trace(with_kind(number));
    ASSERT_TRUE(read) << number << ": " << read.error().message;
    EXPECT_STREQ(to_string(read->findings.at(0).kind), kNames[number]);
  }
}

TEST(Codec, AKindOfFindingThatIsNotKnownComesFromANewerHeddle) {
  for (const std::uint64_t number :
       {std::uint64_t{static_cast<std::uint8_t>(FindingKind::kCount)}, std::uint64_t{UINT8_MAX}}) {
    const auto read = decode_trace(with_kind(number));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ExitCode::kBadInput);
    EXPECT_EQ(read.error().message,
              "The artifact was written by a newer heddle: its findings section has finding kind " +
                  std::to_string(number) +
                  ", which this heddle does not know. Use the heddle that wrote it.");
  }
}

// Among them numbers whose low byte is the number of a kind.
TEST(Codec, AKindOfFindingThatNoHeddleCanHaveIsDamage) {
  for (const std::uint64_t number :
       {std::uint64_t{256}, std::uint64_t{257}, std::uint64_t{1} << 32 | 1, ~std::uint64_t{0}}) {
    const auto read = decode_trace(with_kind(number));
    ASSERT_FALSE(read);
    EXPECT_TRUE(
        read.error().message.starts_with("The artifact is damaged: its findings section has finding kind"))
        << read.error().message;
  }
}

TEST(Codec, WhatIsNewDoesNotHideDamage) {
  auto sections = with_kind(UINT8_MAX);
  const auto section =
      std::ranges::find(sections, static_cast<std::uint32_t>(SectionType::kFindings), &ArtifactSection::type);
  section->payload += "\xff";
  const auto read = decode_trace(sections);
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().message.starts_with("The artifact is damaged")) << read.error().message;
}

TEST(Codec, MissingAndDoubleSectionsAreNamed) {
  auto sections = encode_trace(Trace{});
  sections.push_back(sections[2]);
  const auto twice = decode_trace(sections);
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("two choices"), std::string::npos);
  sections.erase(sections.begin());
  sections.pop_back();
  const auto missing = decode_trace(sections);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no meta section"), std::string::npos);
}

}  // namespace
}  // namespace heddle
