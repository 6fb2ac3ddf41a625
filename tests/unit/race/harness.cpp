#include "tests/unit/race/harness.h"

namespace heddle::race {
namespace {

template <AccessOp kOp>
const Race* access_sized(std::uint32_t size, Address address, std::uint64_t pc, StackId stack) {
  switch (size) {
    case 1:
      return detector.on_access<kOp, 1>(address, pc, stack);
    case 2:
      return detector.on_access<kOp, 2>(address, pc, stack);
    case 4:
      return detector.on_access<kOp, 4>(address, pc, stack);
    case 8:
      return detector.on_access<kOp, 8>(address, pc, stack);
    default:
      return detector.on_access<kOp, 16>(address, pc, stack);
  }
}

}  // namespace

std::optional<Race> access(AccessOp op, std::uint32_t size, Address address, std::uint64_t pc,
                           StackId stack) {
  constexpr decltype(&access_sized<AccessOp::kRead>) kBySize[] = {
      access_sized<AccessOp::kRead>,         access_sized<AccessOp::kWrite>,
      access_sized<AccessOp::kAtomicRead>,   access_sized<AccessOp::kAtomicWrite>,
      access_sized<AccessOp::kVolatileRead>, access_sized<AccessOp::kVolatileWrite>};
  const Race* race = kBySize[static_cast<std::uint32_t>(op)](size, address, pc, stack);
  return race == nullptr ? std::nullopt : std::optional<Race>(*race);
}

}  // namespace heddle::race
