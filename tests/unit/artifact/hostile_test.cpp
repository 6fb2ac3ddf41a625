// Damaged and forged artifacts: a clean error, or the data that was written; never a crash, never other data.
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "sample_trace.h"
#include "tests/unit/mutated.h"
#include "tool/artifact/artifact.h"
#include "tool/artifact/codec.h"

namespace heddle {
namespace {

// What every user of a Trace relies on.
void expect_invariants(const Trace& t) {
  ASSERT_FALSE(t.stacks.empty());
  ASSERT_FALSE(t.texts.empty());
  for (std::size_t i = 1; i < t.stacks.size(); ++i) ASSERT_LT(index_of(t.stacks[i].caller), i);
  for (std::size_t i = 0; i < t.events.size(); ++i) {
    ASSERT_LT(t.events[i].text, t.texts.size());
    ASSERT_LT(index_of(t.events[i].stack), t.stacks.size());
    ASSERT_LT(t.events[i].kind, EventKind::kCount);
    if (i > 0) {
      ASSERT_LT(t.events[i - 1].id, t.events[i].id);
    }
  }
  for (const TraceFinding& f : t.findings) {
    ASSERT_LT(f.kind, FindingKind::kCount);
    for (const TracePart& p : f.parts) ASSERT_LT(index_of(p.stack), t.stacks.size());
  }
}

TEST(Hostile, EveryTruncationIsAnError) {
  const std::string file = serialise(sample_trace());
  for (std::size_t length = 0; length < file.size(); ++length) {
    const auto read = parse_artifact(std::string_view(file).substr(0, length));
    ASSERT_FALSE(read) << length;
    ASSERT_FALSE(read.error().message.empty());
    ASSERT_EQ(read.error().code, ExitCode::kBadInput);
  }
}

TEST(Hostile, EveryFlippedBitIsAnError) {
  const std::string file = serialise(sample_trace());
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    ASSERT_FALSE(parse_artifact(changed)) << at;
  }
}

TEST(Hostile, MutatedFilesAreErrorsOrEqual) {
  const std::string file = serialise(sample_trace());
  Random random(11);
  for (int i = 0; i < 5000; ++i) {
    const std::string changed = mutated(file, random);
    const auto read = parse_artifact(changed);
    if (read) {
      ASSERT_EQ(serialise(*read), file);
    }
  }
}

// With fresh checksums around damaged payloads: what a forger would do. Whatever is accepted keeps the
// invariants.
TEST(Hostile, ForgedPayloadsKeepTheInvariants) {
  const auto sections = encode_trace(sample_trace());
  Random random(13);
  int accepted = 0;
  for (int i = 0; i < 10'000; ++i) {
    auto forged = sections;
    auto& payload = forged[random.below(static_cast<std::uint32_t>(forged.size()))].payload;
    payload = mutated(payload, random);
    const auto read = decode_trace(forged);
    if (!read) {
      ASSERT_FALSE(read.error().message.empty());
      continue;
    }
    ++accepted;
    expect_invariants(*read);
    const auto again = parse_artifact(serialise(*read));
    ASSERT_TRUE(again) << again.error().message;
  }
  EXPECT_GT(accepted, 100);  // the test reaches past the first check
}

TEST(Hostile, RandomBytesAreErrors) {
  Random random(17);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random.below(300), '\0');
    for (char& c : bytes) c = static_cast<char>(random.next());
    ASSERT_FALSE(parse_artifact(bytes));
    ASSERT_FALSE(parse_artifact(std::string(kArtifactMagic) + bytes));
  }
}

}  // namespace
}  // namespace heddle
