// Builds the programs of bench/speed natively, with ThreadSanitizer and with heddle, and runs them in turns,
// so that what a busy machine does to one it does to all.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tool/bench/child_process.h"
#include "tool/bench/speed_cases.h"

namespace heddle::bench {

// Middle, smallest and largest of some measurements.
struct Spread {
  double median = 0, least = 0, most = 0;
  static Spread of(std::vector<double> values);
};

struct OperationResult {
  OperationCase measured;
  std::string compiler;
  Spread heddle, tsan, native;  // CPU nanoseconds of one operation
  Spread ratio;                 // heddle to ThreadSanitizer, of runs that followed each other
};

struct LengthResult {
  LengthCase measured;
  std::vector<double> nanoseconds;  // from 10^4 operations on
  long early_kilobytes = 0;         // grown after 10^5 operations
  long late_kilobytes = 0;          // grown after all operations
};

struct RateResult {
  RateCase measured;
  Spread rate;
};

// One compiler's builds of the programs, in a folder of their own.
class SpeedBench {
 public:
  // `heddle` and `sources` as the installation has them.
  static Result<SpeedBench> build(const std::string& heddle, const std::string& sources,
                                  const std::string& compiler);

  Result<OperationResult> measure(const OperationCase& operation, unsigned rounds) const;
  Result<LengthResult> measure(const LengthCase& length) const;
  Result<RateResult> measure(const RateCase& execution, unsigned rounds) const;
  // A campaign of one execution, milliseconds from start to end.
  Result<Spread> measure_start(unsigned rounds) const;
  const std::string& compiler() const { return compiler_; }

 private:
  struct Cost {
    double nanoseconds = 0;
    long kilobytes = 0;
  };
  SpeedBench(TemporaryFolder folder, std::string heddle, std::string compiler)
      : folder_(std::move(folder)), heddle_(std::move(heddle)), compiler_(std::move(compiler)) {}
  Result<Cost> run_once(const std::string& kind, const std::vector<std::string>& arguments) const;
  Result<int> run_on_one_core(std::vector<std::string> command) const;

  TemporaryFolder folder_;
  std::string heddle_;
  std::string compiler_;
};

}  // namespace heddle::bench
