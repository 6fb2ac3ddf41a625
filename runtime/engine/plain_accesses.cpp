#include "runtime/engine/plain_accesses.h"

namespace heddle::engine {

PlainAccesses::Written PlainAccesses::settle() {
  has_volatile_ = false;
  const memory::Place& place = volatile_.place;
  void* const memory = reinterpret_cast<void*>(place.address);
  memory::Value now{};
  memcpy(&now, memory, place.size);  // little-endian, as the values are
  if (volatile_.is_write) return {true, place, now, volatile_.event};
  // Whoever wrote there meanwhile was not seen, and knows better.
  if (now == place.memory) memcpy(memory, &volatile_.newest, place.size);
  return {};
}

}  // namespace heddle::engine
