// Paths of one thread that no execution has taken, by making it read values that lead there (Machado, PhD
// thesis, 5.2.2.2: guided symbolic execution; here the program itself runs). Values are drawn from those that
// were seen in the same place, and then from what they are compared with. Beyond the path that is asked for,
// branches are tried both ways, breadth first.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "tool/search/executions.h"

namespace heddle::search {

// Values that memory was seen to hold, by address and size.
class SeenValues {
 public:
  void learn(const TracedRun& run);
  const std::set<std::uint64_t>& at(Address address, std::uint8_t size) const;

 private:
  std::map<std::pair<Address, std::uint8_t>, std::set<std::uint64_t>> values_;
};

struct InjectionLimits {
  std::size_t traces = 4;
  std::size_t runs = 24;
};

// Traces in which the path of `thread` begins with `prefix`, different ones; as few reads as need be are made
// to read something else than in `from`.
Result<std::vector<std::shared_ptr<TracedRun>>> inject_path(Executions& executions, const TracedRun& from,
                                                            const std::string& thread, const Path& prefix,
                                                            const SeenValues& values,
                                                            const InjectionLimits& limits);

}  // namespace heddle::search
