#include "tests/unit/race/harness.h"

namespace heddle::race {
namespace {

// As the engine asks: what it may spare, then the access itself.
template <AccessOp kOp, std::uint32_t kSize>
const Race* access_of(Address address, std::uint64_t pc, StackId stack) {
  if constexpr (kOp == AccessOp::kRead || kOp == AccessOp::kWrite) {
    if (detector.is_still<kOp, kSize>(address) || detector.is_still_again<kOp, kSize>(address))
      return nullptr;
    if constexpr (kSize <= 8) {
      if (detector.is_renewed<kOp, kSize>(address) || detector.is_stepped_in_place<kOp, kSize>(address))
        return nullptr;
    }
  }
  return detector.on_access<kOp, kSize>(address, pc, stack);
}

template <AccessOp kOp>
const Race* access_sized(std::uint32_t size, Address address, std::uint64_t pc, StackId stack) {
  switch (size) {
    case 1:
      return access_of<kOp, 1>(address, pc, stack);
    case 2:
      return access_of<kOp, 2>(address, pc, stack);
    case 4:
      return access_of<kOp, 4>(address, pc, stack);
    case 8:
      return access_of<kOp, 8>(address, pc, stack);
    default:
      return access_of<kOp, 16>(address, pc, stack);
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
