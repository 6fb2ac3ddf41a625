// Executions put together of the threads of several (Machado, PhD thesis, 5.2.2.2): each thread's path is one
// that was seen somewhere. Whether any schedule leads all of them down these paths, the solver finds out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "tool/cause/truncation.h"
#include "tool/constraints/symbolic_trace.h"
#include "tool/search/traced_run.h"

namespace heddle::search {

struct Composition {
  Trace trace;  // its events and nothing else; EventId is the position
  cause::TraceTables tables;
  std::map<std::string, ThreadPath> threads;
  std::map<std::string, ThreadPath> decisions;  // as TracedRun has them
  // What memory held at first, by byte, as far as some execution read it.
  std::map<Address, std::uint8_t> initial;
  bool is_composed = false;  // of more than one execution

  const std::string& name_of(ThreadId thread) const;
};

// What a run tells of memory before anybody wrote it.
void learn_initial(const TracedRun& run, std::map<Address, std::uint8_t>& initial);

Composition composition_of(const TracedRun& run, const std::map<Address, std::uint8_t>& initial = {});

// A thread of another run in the place of the one of that name.
struct Replacement {
  std::string thread;
  const TracedRun* run = nullptr;
};
Composition compose(const TracedRun& base, std::span<const Replacement> replacements,
                    const std::map<Address, std::uint8_t>& initial);

// For the solver; `failure` says what is asked for.
Result<constraints::SymbolicTrace> constraints_of(const Composition& of, const cause::TraceTables& tables,
                                                  const constraints::Failure& failure);

}  // namespace heddle::search
