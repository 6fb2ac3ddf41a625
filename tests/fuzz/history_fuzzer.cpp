// What the reader of histories does with bytes from anywhere, led by coverage (libFuzzer), and the checker
// with what was accepted. The first byte says which object.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/fuzz/fuzz.h"
#include "tool/linearize/check_history.h"
#include "tool/linearize/read_history.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::linearize;
  constexpr std::uint8_t kObjects = static_cast<std::uint8_t>(Object::kSnapshot) + 1;
  if (size == 0) return 0;
  std::istringstream input(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  const auto history = read_history(input, static_cast<Object>(data[0] % kObjects));
  if (!history) return heddle::fuzz::judged_result(history);
  if (history->history.operations().size() > 12) return 0;
  const Answer answer = check_history(*history, Options{1 << 20});
  // A witness has every operation that has returned; what is violated ends within the history.
  if (answer.verdict == Verdict::kNotLinearizable &&
      (answer.violation.operation >= history->history.operations().size() || answer.violation.prefix == 0))
    std::abort();
  if (answer.order.size() > history->history.operations().size()) std::abort();
  return 0;
}
