// How the memory and string functions are interposed. They go by other names here: freestanding.h sends the
// runtime's own calls of memcpy and its like elsewhere.
#pragma once

#include <stdio.h>

#include "runtime/abi/engine_access.h"
#include "runtime/abi/libc/format_accesses.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/own_code.h"

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

// The function that a call enters, for the report's stack: the interposer's own address has libc's name.
#define HEDDLE_FUNCTION(name) reinterpret_cast<std::uint64_t>(&heddle_interposed_##name)
// The call of the interposer in whose definition it stands.
#define HEDDLE_PROGRAM_CALL(name) ::heddle::abi::ProgramCall(HEDDLE_CALLER_PC, HEDDLE_FUNCTION(name))

// The call of the function in whose definition it stands, which is exported by its own name.
#define HEDDLE_EXPORTED_CALL(name) \
  ::heddle::abi::ProgramCall(HEDDLE_CALLER_PC, reinterpret_cast<std::uint64_t>(&::name))

// The accesses that a call makes on the program's behalf; those of other modules' calls are nobody's.
//
// Reads are told before the call where it hands the bytes on (to a file, a socket): whoever receives them may
// write the memory next, ordered by the descriptor. Else ranges are told after the call, so that a wild size
// faults in libc and not in the detector, and the bytes are those that were accessed.
class ProgramCall {
 public:
  ProgramCall(std::uint64_t return_address, std::uint64_t function)
      : engine_(engine()), pc_(return_address), function_(function) {
    if (engine_ == nullptr) return;
    // What the runtime calls for itself is no access of the program, whatever else it does in its name.
    if (engine::is_program_call(return_address) && !engine::is_own_code(return_address)) {
      engine_->before_access();
    } else {
      engine_ = nullptr;
    }
  }
  explicit operator bool() const { return engine_ != nullptr; }
  void reads(const void* from, std::size_t bytes) const { access(race::AccessOp::kRead, from, bytes); }
  void writes(const void* to, std::size_t bytes) const { access(race::AccessOp::kWrite, to, bytes); }
  // An object that the program passes by its address; none if that is null.
  template <typename Object>
  void reads_object(const Object* object) const {
    if (object != nullptr) reads(object, sizeof *object);
  }
  template <typename Object>
  void writes_object(const Object* object) const {
    if (object != nullptr) writes(object, sizeof *object);
  }
  // A string with its end; of one that is longer, the first `most` characters.
  template <typename Char>
  void reads_text(const Char* text, std::size_t most = ~std::size_t{0}) const {
    if (engine_ != nullptr && text != nullptr) reads(text, bytes_of_text(text, most));
  }
  template <typename Char>
  void writes_text(const Char* text) const {
    if (engine_ != nullptr && text != nullptr) writes(text, bytes_of_text(text));
  }
  // A stream is locked inside libc, so that its users do not race with each other; what ends it must come
  // after them (C11 7.21.2, POSIX fclose). Its first word stands for it.
  void uses_stream(const FILE* stream) const {
    if (stream != nullptr) reads(stream, sizeof(void*));
  }
  void ends_stream(const FILE* stream) const {
    if (stream != nullptr) writes(stream, sizeof(void*));
  }

 private:
  void access(race::AccessOp op, const void* at, std::size_t bytes) const {
    if (engine_ != nullptr) engine_->plain_range(op, reinterpret_cast<Address>(at), bytes, pc_, function_);
  }

  engine::Execution* engine_;
  std::uint64_t pc_;
  std::uint64_t function_;
};

}  // namespace heddle::abi

// An interposer that only tells what libc accesses, as statements on `call`: `before` the call, and `after`
// it, where `result` is libc's answer.
#define HEDDLE_SEEN(type, name, parameters, arguments, before, after) \
  HEDDLE_INTERPOSE(type, name, HEDDLE_LIST parameters) {              \
    const auto libc = HEDDLE_LIBC(name);                              \
    const auto call = HEDDLE_PROGRAM_CALL(name);                      \
    if (!call) return libc arguments;                                 \
    before;                                                           \
    const auto result = libc arguments;                               \
    after;                                                            \
    return result;                                                    \
  }
#define HEDDLE_SEEN_VOID(name, parameters, arguments, before, after) \
  HEDDLE_INTERPOSE(void, name, HEDDLE_LIST parameters) {             \
    const auto libc = HEDDLE_LIBC(name);                             \
    const auto call = HEDDLE_PROGRAM_CALL(name);                     \
    if (!call) return libc arguments;                                \
    before;                                                          \
    libc arguments;                                                  \
    after;                                                           \
  }
// Nothing to tell before, or after, the call.
#define HEDDLE_NOTHING static_cast<void>(0)
