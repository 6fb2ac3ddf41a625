// Runs one litmus program on real atomics and threads: a tested program like any other, compiled by `heddle
// c++`, so that the whole engine is compared with what the standard says, and not the memory model alone.
//
//   interpreter "init x=0 y=0
//   thread store x 1 rlx ; load y rlx
//   thread store y 1 rlx ; load x rlx"
//
// gives to heddle_outcome the values that the operations read and the final values (the numbers of a
// litmus::Outcome). The choices of an execution are those of the litmus program and no others: threads are
// created, parked, released and joined inside scopes that are not explored, and each performs its first
// operation in the very step in which it is chosen. So exhaustive exploration visits each interleaving of the
// operations once for each way to read.
#include <heddle/heddle.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

#include "core/litmus/litmus.h"

namespace {

using heddle::litmus::Op;
using heddle::litmus::OpKind;
using heddle::litmus::Order;
using heddle::litmus::Outcome;
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

class Semaphore {
 public:
  Semaphore() { sem_init(&semaphore_, 0, 0); }
  ~Semaphore() { sem_destroy(&semaphore_); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  void post() { sem_post(&semaphore_); }
  void wait() {
    while (sem_wait(&semaphore_) != 0) {
    }
  }

 private:
  sem_t semaphore_;
};

class Interpreter {
 public:
  explicit Interpreter(const Program& program)
      : program_(program),
        layout_(program),
        outcome_(static_cast<std::size_t>(layout_.size)),
        locations_(program.initial.size()),
        threads_(program.threads.size()),
        left_(static_cast<int>(program.threads.size())) {
    for (std::size_t x = 0; x < locations_.size(); ++x) {
      std::atomic_init(&locations_[x].value, program.initial[x]);
      locations_[x].name = heddle::litmus::location_name(static_cast<int>(x));
      heddle_name(&locations_[x].value, sizeof(int), locations_[x].name.c_str());
    }
  }

  Outcome run() {
    heddle::AtomicScope scope;
    // No std::thread, which allocates: where a block has been freed, malloc has a choice.
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      threads_[t].interpreter = this;
      if (pthread_create(&threads_[t].handle, nullptr, start_thread, &threads_[t]) != 0) std::abort();
      parked_.wait();
    }
    for (Thread& thread : threads_) thread.go.post();
    all_done_.wait();  // here the threads run
    for (Thread& thread : threads_) thread.done.wait();
    for (std::size_t x = 0; x < locations_.size(); ++x) {
      outcome_[static_cast<std::size_t>(layout_.finals) + x] =
          locations_[x].value.load(std::memory_order_relaxed);
    }
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      threads_[t].go.post();
      pthread_join(threads_[t].handle, nullptr);
    }
    return outcome_;
  }

 private:
  struct alignas(64) Location {
    std::atomic<int> value;
    std::string name;
  };
  struct Thread {
    Interpreter* interpreter = nullptr;
    pthread_t handle{};
    Semaphore go, done;
  };

  static void* start_thread(void* argument) {
    auto& thread = *static_cast<Thread*>(argument);
    Interpreter& interpreter = *thread.interpreter;
    interpreter.run_thread(static_cast<std::size_t>(&thread - interpreter.threads_.data()));
    return nullptr;
  }

  void run_thread(std::size_t t) {
    heddle_atomic_begin();
    parked_.post();
    threads_[t].go.wait();
    for (std::size_t i = 0; i < program_.threads[t].size(); ++i) {
      perform_one(program_.threads[t][i], layout_.position[t][i]);
      if (i == 0) heddle_atomic_end();
    }
    heddle_atomic_begin();
    threads_[t].done.post();
    if (left_.fetch_sub(1, std::memory_order_relaxed) == 1) all_done_.post();
    threads_[t].go.wait();  // its end would be one more step: it comes when all are done
  }

  void perform_one(const Op& op, int position) {
    const Read read = perform(locations_[static_cast<std::size_t>(op.location)].value, op);
    if (position < 0) return;
    outcome_[static_cast<std::size_t>(position)] = read.value;
    if (op.is_cas()) outcome_[static_cast<std::size_t>(position) + 1] = read.succeeded;
  }

  const Program& program_;
  const heddle::litmus::OutcomeLayout layout_;
  Outcome outcome_;
  std::vector<Location> locations_;
  std::vector<Thread> threads_;
  std::atomic<int> left_;
  Semaphore parked_, all_done_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: interpreter PROGRAM (as text: init and thread lines)\n");
    return 2;
  }
  try {
    const Program program = heddle::litmus::parse_program(argv[1]);
    Interpreter interpreter(program);
    heddle_outcome(heddle::litmus::numbers(interpreter.run()).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "interpreter: %s\n", error.what());
    return 2;
  }
  return 0;
}
