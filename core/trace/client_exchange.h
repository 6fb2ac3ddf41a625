// How the tool gives clients of <heddle/lin.hpp> to a worker that stays: which one an execution runs, and how
// its choices are made, is then in this memory and not in the program's arguments, so that trying one costs
// no process. Lies in the memory of a campaign, and is valid as it comes from the kernel: all zero, not in
// use.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle {

// Who chooses in the executions of a client.
enum class ClientSearch : std::uint32_t {
  kStrategy = 0,    // the strategy that the worker was started with
  kGuided = 1,      // the log in the channel's replay section, as a wish list
  kExhaustive = 2,  // every execution once
};

struct ClientExchange {
  static constexpr std::uint32_t kMostText = 1u << 20;
  static constexpr std::uint32_t kMostHistory = 1u << 22;

  // Set by the tool before the worker starts.
  std::atomic<std::uint32_t> in_use;
  // Executions with smaller indices may run. Written by the tool while none is under way, after what follows.
  std::atomic<std::uint64_t> granted;
  std::atomic<std::uint32_t> changed;  // futex word: bumped when more were granted, or none ever will be
  ClientSearch search;
  std::uint32_t choices;      // kGuided: of the log
  std::uint32_t begins_anew;  // kExhaustive: this client was not searched before; reset by the worker
  // kExhaustive: no execution of this client is left. Set by the worker, which then waits for other wishes.
  std::atomic<std::uint32_t> none_left;
  std::uint32_t explored_all;  // no execution of it was left out
  std::uint32_t length;
  char text[kMostText];
  // Of the latest execution that had no linearization, as <heddle/lin.hpp> writes it. It is not taken from
  // the trace: recording events, each with its stack, takes several times as long as the execution itself.
  std::uint32_t history_length;  // 0: it was too long
  char history[kMostHistory];

  bool may_run(std::uint64_t index) const {
    return in_use.load(std::memory_order_relaxed) == 0 || (index < granted.load(std::memory_order_acquire) &&
                                                           none_left.load(std::memory_order_relaxed) == 0);
  }
  // Nobody runs another one before the tool has looked.
  bool is_awaited(std::uint64_t index) const {
    return in_use.load(std::memory_order_relaxed) != 0 &&
           index + 1 == granted.load(std::memory_order_relaxed);
  }
};

}  // namespace heddle
