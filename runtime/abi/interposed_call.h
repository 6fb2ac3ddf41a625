// How the memory and string functions are interposed. They go by other names here: freestanding.h sends the
// runtime's own calls of memcpy and its like elsewhere.
#pragma once

#include "runtime/abi/engine_access.h"
#include "runtime/engine/callers.h"

// Opens the definition of the exported function `name`.
#define HEDDLE_INTERPOSE(result, name, ...)                                                               \
  extern "C"                                                                                              \
      __attribute__((visibility("default"))) result heddle_interposed_##name(__VA_ARGS__) __asm__(#name); \
  result heddle_interposed_##name(__VA_ARGS__)

// libc's function of this name, with the signature of the interposer in which it is asked for.
#define HEDDLE_LIBC(name)                                                             \
  ([]() {                                                                             \
    auto& real = ::heddle::abi::libc_function<&heddle_interposed_##name>;             \
    if (__builtin_expect(real == nullptr, 0))                                         \
      real = ::heddle::abi::next_function<decltype(heddle_interposed_##name)>(#name); \
    return real;                                                                      \
  }())

// An interposer of a function that programs call often; parameters and arguments in parentheses. Without an
// engine the call goes on to libc by a jump, and saves nothing for what comes after; under the engine the
// definition that follows is called, with the program's return address as `pc`.
#define HEDDLE_INTERPOSE_OFTEN(result, name, parameters, arguments)                                         \
  extern "C"                                                                                                \
      __attribute__((visibility("default"))) result heddle_interposed_##name parameters __asm__(#name);     \
  __attribute__((noinline)) static result heddle_followed_##name(HEDDLE_LIST parameters, std::uint64_t pc); \
  result heddle_interposed_##name parameters {                                                              \
    const auto real = ::heddle::abi::libc_function<&heddle_interposed_##name>;                              \
    if (::heddle::abi::current == nullptr && real != nullptr) return real arguments;                        \
    return heddle_followed_##name(HEDDLE_LIST arguments, HEDDLE_CALLER_PC);                                 \
  }                                                                                                         \
  result heddle_followed_##name(HEDDLE_LIST parameters, std::uint64_t pc)
#define HEDDLE_LIST(...) __VA_ARGS__

namespace heddle::abi {

// What next_function() has answered for an interposer.
template <auto Interposer>
constinit inline decltype(Interposer) libc_function = nullptr;

// The accesses that a call makes on the program's behalf; those of other modules' calls are nobody's. Ranges
// are told after the call, so that a wild size faults in libc and not in the detector.
class ProgramCall {
 public:
  explicit ProgramCall(std::uint64_t return_address) : engine_(engine()), pc_(return_address) {
    if (engine_ == nullptr) return;
    if (engine::is_program_call(return_address)) {
      engine_->before_access();
    } else {
      engine_ = nullptr;
    }
  }
  explicit operator bool() const { return engine_ != nullptr; }
  void reads(const void* from, std::size_t bytes) const {
    if (engine_ != nullptr)
      engine_->plain_range(race::AccessOp::kRead, reinterpret_cast<Address>(from), bytes, pc_);
  }
  void writes(const void* to, std::size_t bytes) const {
    if (engine_ != nullptr)
      engine_->plain_range(race::AccessOp::kWrite, reinterpret_cast<Address>(to), bytes, pc_);
  }

 private:
  engine::Execution* engine_;
  std::uint64_t pc_;
};

}  // namespace heddle::abi
