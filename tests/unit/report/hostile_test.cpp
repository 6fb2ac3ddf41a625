// Whatever the reader of artifacts accepts can be shown: no crash, no control character, lines that fit.
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "samples.h"
#include "tool/artifact/codec.h"
#include "tool/findings/fingerprint.h"
#include "tool/report/columns.h"
#include "tool/report/json.h"
#include "tool/report/show.h"
#include "tool/report/text.h"

namespace heddle::report {
namespace {

void expect_harmless(const std::string& text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    ASSERT_TRUE(c == '\n' || c == '\t' || (byte >= 0x20 && byte != 0x7f)) << static_cast<int>(byte);
  }
}

TEST(HostileReport, ForgedTracesCanBeShown) {
  std::vector<std::vector<ArtifactSection>> originals = {encode_trace(message_passing())};
  for (int kind = 1; kind < static_cast<int>(FindingKind::kCount); ++kind) {
    originals.push_back(encode_trace(sample_finding(static_cast<FindingKind>(kind))));
  }
  Random random(29);
  int shown = 0;
  for (int i = 0; i < 4000; ++i) {
    auto sections = originals[random.below(static_cast<std::uint32_t>(originals.size()))];
    for (std::uint32_t changes = 1 + random.below(6); changes > 0; --changes) {
      std::string& payload = sections[random.below(static_cast<std::uint32_t>(sections.size()))].payload;
      if (payload.empty()) continue;
      char& byte = payload[random.below(static_cast<std::uint32_t>(payload.size()))];
      byte = static_cast<char>(
          random.below(3) == 0 ? random.next() : static_cast<unsigned char>(byte) ^ (1u << random.below(8)));
    }
    const auto trace = decode_trace(sections);
    if (!trace) continue;
    ++shown;
    expect_harmless(show_text(*trace));
    for (const TraceFinding& finding : trace->findings) ASSERT_EQ(fingerprint(*trace, finding).size(), 16u);
    ASSERT_FALSE(json_trace(*trace).empty());
  }
  EXPECT_GT(shown, 500);
}

}  // namespace
}  // namespace heddle::report
