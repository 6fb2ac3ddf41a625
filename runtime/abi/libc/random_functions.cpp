// Randomness that the program draws from the system: a function of the seed and the execution.
#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

#include "runtime/abi/interposed_call.h"

namespace heddle::abi {
namespace {

void fill(engine::Execution& e, void* buffer, std::size_t bytes) {
  auto* at = static_cast<unsigned char*>(buffer);
  for (std::size_t i = 0; i < bytes;) {
    std::uint64_t word = e.outside().next();
    for (int k = 0; k < 8 && i < bytes; ++k, word >>= 8) at[i++] = static_cast<unsigned char>(word);
  }
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;

HEDDLE_EXPORT ssize_t getrandom(void* buffer, std::size_t bytes, unsigned flags) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(getrandom)(buffer, bytes, flags);
  heddle::abi::fill(*e, buffer, bytes);
  HEDDLE_EXPORTED_CALL(getrandom).writes(buffer, bytes);
  return static_cast<ssize_t>(bytes);
}

HEDDLE_EXPORT int getentropy(void* buffer, std::size_t bytes) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(getentropy)(buffer, bytes);
  if (bytes > 256) {
    errno = EIO;
    return -1;
  }
  heddle::abi::fill(*e, buffer, bytes);
  HEDDLE_EXPORTED_CALL(getentropy).writes(buffer, bytes);
  return 0;
}

// arc4random* of glibc 2.36.
HEDDLE_EXPORT std::uint32_t arc4random() noexcept {
  if (auto* e = engine()) return static_cast<std::uint32_t>(e->outside().next());
  std::uint32_t value = 0;
  heddle::raw_syscall(SYS_getrandom, &value, sizeof value, 0);
  return value;
}
HEDDLE_EXPORT void arc4random_buf(void* buffer, std::size_t bytes) noexcept {
  if (auto* e = engine()) {
    heddle::abi::fill(*e, buffer, bytes);
    return HEDDLE_EXPORTED_CALL(arc4random_buf).writes(buffer, bytes);
  }
  for (std::size_t done = 0; done < bytes;) {
    const long got = heddle::raw_syscall(SYS_getrandom, static_cast<char*>(buffer) + done, bytes - done, 0);
    if (got > 0) done += static_cast<std::size_t>(got);
  }
}
HEDDLE_EXPORT std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
  return bound < 2 ? 0 : static_cast<std::uint32_t>((std::uint64_t{arc4random()} * bound) >> 32);
}

// std::random_device draws by an instruction that cannot be interposed; its member functions can. libstdc++'s
// _M_getval and libc++'s operator().
HEDDLE_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  if (auto* e = engine()) return static_cast<unsigned>(e->outside().next());
  using Real = unsigned(void*);
  static Real* real = heddle::abi::next_function<Real>("_ZNSt13random_device9_M_getvalEv");
  return real(device);
}
HEDDLE_EXPORT unsigned _ZNSt3__113random_deviceclEv(void* device) {
  if (auto* e = engine()) return static_cast<unsigned>(e->outside().next());
  using Real = unsigned(void*);
  static Real* real = heddle::abi::next_function<Real>("_ZNSt3__113random_deviceclEv");
  return real(device);
}
