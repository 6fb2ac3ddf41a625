// What the reader of litmus files does with bytes from anywhere. Its only answer to what it does not
// understand is std::runtime_error, with file and line.
#include <stdexcept>

#include "core/litmus/litmus.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  static fuzz::MemoryFile file;
  try {
    const auto tests = litmus::read_litmus_file(file.hold(fuzz::bytes_of(data, size)));
    for (const litmus::LitmusTest& test : tests) {
      const litmus::OutcomeLayout layout(test.program);
      const litmus::Outcome outcome(static_cast<std::size_t>(layout.size));
      for (const auto* conditions : {&test.allowed, &test.forbidden, &test.limits}) {
        for (const litmus::Condition& condition : *conditions) static_cast<void>(condition.holds(outcome));
      }
      static_cast<void>(to_string(test.program, outcome));
      // What is written as text is read back as the same program.
      const litmus::Program again = litmus::parse_program(to_string(test.program));
      fuzz::require(to_string(again) ==
                    to_string(test.program).replace(0, 2 + test.program.name.size(), "# "));
    }
    return fuzz::judged(!tests.empty(), "it has no test");
  } catch (const std::runtime_error& error) {
    fuzz::require(std::string_view(error.what()).find(':') != std::string_view::npos);
    return fuzz::judged(false, error.what());
  }
}
