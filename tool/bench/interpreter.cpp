// Runs one litmus program on real atomics and threads: a tested program like any other, compiled by `heddle
// c++`, so that the whole engine is compared with what the standard says, and not the memory model alone.
//
//   interpreter "init x=0 y=0
//   thread store x 1 rlx ; load y rlx
//   thread store y 1 rlx ; load x rlx"
//
// gives to heddle_outcome the values that the operations read and the final values (the numbers of a
// litmus::Outcome). Of several programs on its command line each execution runs one, which the strategy
// chooses; its number comes before the others.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/litmus/litmus.h"
#include "tool/bench/litmus_harness.h"

namespace {

using heddle::litmus::Op;
using heddle::litmus::OpKind;
using heddle::litmus::Order;
using heddle::litmus::Program;

// Compilers pass a memory order to the runtime only where it is a constant: one instance for each.
template <typename F>
auto with_order(Order order, F f) {
  using std::integral_constant;
  switch (order) {
    case Order::kRelaxed:
      return f(integral_constant<std::memory_order, std::memory_order_relaxed>());
    case Order::kConsume:
      return f(integral_constant<std::memory_order, std::memory_order_consume>());
    case Order::kAcquire:
      return f(integral_constant<std::memory_order, std::memory_order_acquire>());
    case Order::kRelease:
      return f(integral_constant<std::memory_order, std::memory_order_release>());
    case Order::kAcqRel:
      return f(integral_constant<std::memory_order, std::memory_order_acq_rel>());
    default:
      return f(integral_constant<std::memory_order, std::memory_order_seq_cst>());
  }
}

constexpr bool may_load(std::memory_order order) {
  return order != std::memory_order_release && order != std::memory_order_acq_rel;
}
constexpr bool may_store(std::memory_order order) {
  return order == std::memory_order_relaxed || order == std::memory_order_release ||
         order == std::memory_order_seq_cst;
}

struct Read {
  int value = 0;
  bool succeeded = false;  // of a CAS
};

Read compare_exchange(std::atomic<int>& x, const Op& op) {
  return with_order(op.order, [&](auto success) {
    return with_order(op.failure, [&](auto failure) {
      Read read{op.expected, false};
      if constexpr (may_load(failure)) {
        read.succeeded = op.kind == OpKind::kWeakCas
                             ? x.compare_exchange_weak(read.value, op.value, success, failure)
                             : x.compare_exchange_strong(read.value, op.value, success, failure);
      }
      return read;
    });
  });
}

Read perform(std::atomic<int>& x, const Op& op) {
  if (op.is_cas()) return compare_exchange(x, op);
  return with_order(op.order, [&](auto order) {
    Read read;
    switch (op.kind) {
      case OpKind::kLoad:
        if constexpr (may_load(order)) read.value = x.load(order);
        break;
      case OpKind::kStore:
        if constexpr (may_store(order)) x.store(op.value, order);
        break;
      case OpKind::kAdd:
        read.value = x.fetch_add(op.value, order);
        break;
      case OpKind::kExchange:
        read.value = x.exchange(op.value, order);
        break;
      default:
        std::atomic_thread_fence(order);
    }
    return read;
  });
}

// All that an execution looks at, prepared before the first choice, and flat: reads of it are instrumented.
struct Code {
  const Op* ops = nullptr;
  const int* positions = nullptr;  // of what each operation reads in the outcome; negative: it reads nothing
  std::size_t count = 0;
};

struct Interpreted {
  explicit Interpreted(Program parsed) : program(std::move(parsed)), layout(program) {
    for (std::size_t i = 0; i < program.threads.size(); ++i)
      code.push_back({program.threads[i].data(), layout.position[i].data(), program.threads[i].size()});
  }
  Program program;
  heddle::litmus::OutcomeLayout layout;
  std::vector<Code> code;
};

bool step(heddle::bench::LitmusRun& run, std::size_t thread, std::size_t number) {
  const Code& code = static_cast<const Code*>(run.program())[thread];
  if (number == code.count) return false;
  const Op& op = code.ops[number];
  const Read read = perform(run.location(static_cast<std::size_t>(op.location)), op);
  if (code.positions[number] < 0) return true;
  const auto position = static_cast<std::size_t>(code.positions[number]);
  run.note(position, read.value);
  if (op.is_cas()) run.note(position + 1, read.succeeded ? 1 : 0);
  return true;
}

int run_one_of(const std::vector<Program>& programs) {
  std::vector<std::unique_ptr<Interpreted>> interpreted;
  std::vector<std::unique_ptr<heddle::bench::LitmusRun>> runs;
  for (const Program& program : programs) {
    interpreted.push_back(std::make_unique<Interpreted>(program));
    runs.push_back(std::make_unique<heddle::bench::LitmusRun>(
        program.threads.size(), static_cast<std::size_t>(interpreted.back()->layout.size), program.initial,
        step, interpreted.back()->code.data()));
  }
  const unsigned number = heddle_choose(static_cast<unsigned>(programs.size()));
  const std::vector<int>& outcome = runs[number]->run();
  if (programs.size() == 1) {
    heddle::bench::tell_outcome(outcome);
  } else {
    heddle::bench::tell_outcome(outcome, static_cast<int>(number));
  }
  std::_Exit(0);  // what is left to be destroyed would be instrumented, too
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: interpreter PROGRAM... (as text: init and thread lines)\n");
    return 2;
  }
  try {
    std::vector<Program> programs;
    for (int i = 1; i < argc; ++i) programs.push_back(heddle::litmus::parse_program(argv[i]));
    return run_one_of(programs);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "interpreter: %s\n", error.what());
    return 2;
  }
}
