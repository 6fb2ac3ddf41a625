// What the reader of a campaign's JSON does with bytes from anywhere, led by coverage (libFuzzer).
#include <cstdint>

#include "tests/fuzz/fuzz.h"
#include "tool/report/kept_campaign.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return heddle::fuzz::judged_result(heddle::report::parse_campaign(heddle::fuzz::bytes_of(data, size)));
}
