// Memory of the runtime's whose contents nobody will read before they are written: a reset need not put it
// back.
#pragma once

#include "core/base/address_space.h"

namespace heddle {

struct SpareMemory {
  static constexpr std::uint32_t kMost = 64;  // what comes after that is put back

  void add(const AddressRange& range) {
    if (range.bytes != 0 && count < kMost) ranges[count++] = range;
  }

  AddressRange ranges[kMost];
  std::uint32_t count = 0;
};

}  // namespace heddle
