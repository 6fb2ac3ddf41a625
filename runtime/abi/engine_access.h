// How the interposers reach the engine, and libc behind them.
#pragma once

#include <dlfcn.h>

#include "core/base/check.h"
#include "runtime/engine/execution.h"

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))
#define HEDDLE_CALLER_PC reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

namespace heddle::abi {

// The current execution; nullptr while the program runs natively. Private to this folder.
[[gnu::visibility("hidden")]] extern engine::Execution* current;

// The engine, unless the call comes from the runtime itself.
inline engine::Execution* engine() { return engine::RuntimeScope::active() ? nullptr : current; }

// Attaches to the tool if there is one. Safe to call at any time, also from malloc before any constructor has
// run.
void ensure_started();
// Is this process part of a session, whether or not the engine runs yet?
bool in_session();
// The engine is to come: a constructor runs of a library that the loader initialises before ours.
bool is_before_engine();

// Looks up what every execution will need, so that forked ones need not.
void prepare_process_functions();
void prepare_memory_functions();
void prepare_string_functions();

// libc's function behind an interposer of the same name.
inline void* next_symbol(const char* name) {
  engine::RuntimeScope scope;
  void* symbol = dlsym(RTLD_NEXT, name);
  HEDDLE_CHECK(symbol != nullptr);
  return symbol;
}

template <typename Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(next_symbol(name));
}

}  // namespace heddle::abi

#define HEDDLE_REAL(name)                                                                               \
  ([]() {                                                                                               \
    static decltype(&::name) real = nullptr;                                                            \
    if (real == nullptr) real = reinterpret_cast<decltype(&::name)>(::heddle::abi::next_symbol(#name)); \
    return real;                                                                                        \
  }())
