#include "tests/unit/constraints/random_program.h"

#include <array>

namespace heddle::constraints {
namespace {

constexpr int kRegisters = 2, kVariables = 2, kMutexes = 2;

bool is_visible(const Instruction& i) {
  return i.kind != Instruction::Kind::kBranch && i.kind != Instruction::Kind::kAssert;
}

int pick(Random& random, int below) {
  return static_cast<int>(random.below(static_cast<std::uint32_t>(below)));
}

}  // namespace

Threads random_threads(Random& random) {
  const int count = 2 + pick(random, 2);
  const int most = count == 2 ? 6 : 4;
  Threads threads(static_cast<std::size_t>(count));
  for (std::size_t t = 0; t < threads.size(); ++t) {
    Thread& thread = threads[t];
    int held = -1;
    const int length = 2 + pick(random, most - 1);
    while (static_cast<int>(visible_actions(thread)) < length) {
      Instruction i;
      i.variable = pick(random, kVariables);
      i.destination = pick(random, kRegisters);
      i.source = pick(random, kRegisters);
      i.constant = pick(random, 3);
      switch (pick(random, 8)) {
        case 0:
        case 1:
          i.kind = Instruction::Kind::kRead;
          break;
        case 2:
        case 3:
          i.kind = Instruction::Kind::kWrite;
          break;
        case 4:
          i.kind = Instruction::Kind::kAdd;
          break;
        case 5:
          i.kind = Instruction::Kind::kBranch;
          break;
        default:
          i.kind = held < 0 ? Instruction::Kind::kLock : Instruction::Kind::kUnlock;
          i.variable = held < 0 ? pick(random, kMutexes) : held;
          held = held < 0 ? i.variable : -1;
          break;
      }
      thread.push_back(i);
    }
    if (t == 0) {
      Instruction check{Instruction::Kind::kAssert, 0, 0, pick(random, kRegisters), pick(random, 2)};
      thread.push_back({Instruction::Kind::kRead, pick(random, kVariables), check.source, 0, 0});
      thread.push_back(check);
    }
    // As at a failure: what is held is let go by the trace's synthetic unlock, and here by this one.
    if (held >= 0) thread.push_back({Instruction::Kind::kUnlock, held, 0, 0, 0});
  }
  return threads;
}

std::size_t visible_actions(const Thread& thread) {
  std::size_t count = 0;
  for (const Instruction& i : thread) count += is_visible(i) ? 1 : 0;
  return count;
}

Run execute(const Threads& threads, const Interleaving& order) {
  Run run;
  std::array<std::uint32_t, kVariables> memory{};
  std::array<int, kMutexes> owner{-1, -1};
  std::vector<std::array<std::uint32_t, kRegisters>> registers(threads.size());
  std::vector<std::size_t> next(threads.size());
  std::vector<std::vector<bool>> branches(threads.size());
  const auto invisible = [&](std::size_t t) {
    while (next[t] < threads[t].size() && !is_visible(threads[t][next[t]])) {
      const Instruction& i = threads[t][next[t]++];
      const bool above =
          static_cast<std::int32_t>(registers[t][static_cast<std::size_t>(i.source)]) > i.constant;
      if (i.kind == Instruction::Kind::kBranch) branches[t].push_back(above);
      if (i.kind == Instruction::Kind::kAssert) run.assertion_failed = !above;
    }
  };
  for (std::size_t t = 0; t < threads.size(); ++t) invisible(t);
  for (int thread : order) {
    const auto t = static_cast<std::size_t>(thread);
    const Instruction& i = threads[t][next[t]++];
    const auto v = static_cast<std::size_t>(i.variable);
    auto& r = registers[t];
    switch (i.kind) {
      case Instruction::Kind::kRead:
        r[static_cast<std::size_t>(i.destination)] = memory[v];
        break;
      case Instruction::Kind::kWrite:
        memory[v] = r[static_cast<std::size_t>(i.source)] + static_cast<std::uint32_t>(i.constant);
        break;
      case Instruction::Kind::kAdd:
        r[static_cast<std::size_t>(i.destination)] = memory[v];
        memory[v] += static_cast<std::uint32_t>(i.constant);
        break;
      case Instruction::Kind::kLock:
        if (owner[v] >= 0) {
          run.deadlocked = true;  // this order cannot be
          return run;
        }
        owner[v] = thread;
        break;
      case Instruction::Kind::kUnlock:
        owner[v] = -1;
        break;
      default:
        break;
    }
    invisible(t);
  }
  for (const auto& own : branches) run.branches.insert(run.branches.end(), own.begin(), own.end());
  return run;
}

void for_each_interleaving(const Threads& threads, const std::function<void(const Interleaving&)>& visit) {
  std::vector<std::size_t> left;
  std::size_t total = 0;
  for (const Thread& thread : threads) {
    left.push_back(visible_actions(thread));
    total += left.back();
  }
  Interleaving order;
  const std::function<void()> extend = [&] {
    if (order.size() == total) {
      visit(order);
      return;
    }
    for (std::size_t t = 0; t < threads.size(); ++t) {
      if (left[t] == 0) continue;
      --left[t];
      order.push_back(static_cast<int>(t));
      extend();
      order.pop_back();
      ++left[t];
    }
  };
  extend();
}

SymbolicTrace trace_of(const Threads& threads, const Interleaving& order) {
  using Value = TraceBuilder::Value;
  TraceBuilder b;
  std::vector<std::array<Value, kRegisters>> registers(threads.size());
  std::vector<std::size_t> next(threads.size());
  const auto invisible = [&](std::size_t t) {
    const int thread = static_cast<int>(t);
    while (next[t] < threads[t].size() && !is_visible(threads[t][next[t]])) {
      const Instruction& i = threads[t][next[t]++];
      const Value above =
          b.greater(registers[t][static_cast<std::size_t>(i.source)], static_cast<std::uint32_t>(i.constant));
      if (i.kind == Instruction::Kind::kBranch) b.branch(thread, above);
      if (i.kind == Instruction::Kind::kAssert) b.fails_unless(thread, above);
    }
  };
  for (std::size_t t = 0; t < threads.size(); ++t) invisible(t);
  for (int thread : order) {
    const auto t = static_cast<std::size_t>(thread);
    const Instruction& i = threads[t][next[t]++];
    auto& r = registers[t];
    switch (i.kind) {
      case Instruction::Kind::kRead:
        r[static_cast<std::size_t>(i.destination)] = b.read(thread, i.variable);
        break;
      case Instruction::Kind::kWrite:
        b.write(thread, i.variable,
                b.binary(Operator::kAdd, r[static_cast<std::size_t>(i.source)],
                         TraceBuilder::number(static_cast<std::uint32_t>(i.constant))));
        break;
      case Instruction::Kind::kAdd:
        r[static_cast<std::size_t>(i.destination)] =
            b.add(thread, i.variable, static_cast<std::uint32_t>(i.constant));
        break;
      case Instruction::Kind::kLock:
        b.lock(thread, i.variable + 1);
        break;
      case Instruction::Kind::kUnlock:
        b.unlock(thread, i.variable + 1);
        break;
      default:
        break;
    }
    invisible(t);
  }
  return b.finish();
}

}  // namespace heddle::constraints
