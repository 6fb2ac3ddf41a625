// What the reader of a campaign's JSON does with bytes from anywhere, led by coverage (libFuzzer).
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tool/report/kept_campaign.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto campaign =
      heddle::report::parse_campaign(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!campaign && campaign.error().message.empty()) std::abort();
  return 0;
}
