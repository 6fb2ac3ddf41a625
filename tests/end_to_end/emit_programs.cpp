// emit_programs [--programs N] [--seed S] [--first I] > FILE.cpp: generated programs as C++ that a compiler
// sees as what it is, with every memory order a constant. The compiled program runs the one whose index it is
// given; compare_engine --compiled compares.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/oracle/generate.h"

namespace {

using oracle::Op;
using oracle::OpKind;

std::string order(oracle::Order o) {
  constexpr const char* kNames[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  return std::string("std::memory_order_") + kNames[static_cast<int>(o)];
}

std::string statement(const Op& op, int position) {
  const std::string x = "run.location(" + std::to_string(op.location) + ").";
  const std::string at = std::to_string(position), value = std::to_string(op.value);
  switch (op.kind) {
    case OpKind::kLoad:
      return "run.note(" + at + ", " + x + "load(" + order(op.order) + "));";
    case OpKind::kStore:
      return x + "store(" + value + ", " + order(op.order) + ");";
    case OpKind::kAdd:
      return "run.note(" + at + ", " + x + "fetch_add(" + value + ", " + order(op.order) + "));";
    case OpKind::kExchange:
      return "run.note(" + at + ", " + x + "exchange(" + value + ", " + order(op.order) + "));";
    case OpKind::kFence:
      return "std::atomic_thread_fence(" + order(op.order) + ");";
    default:
      return "{ int value = " + std::to_string(op.expected) + "; const bool succeeded = " + x +
             (op.kind == OpKind::kCas ? "compare_exchange_strong" : "compare_exchange_weak") + "(value, " +
             value + ", " + order(op.order) + ", " + order(op.failure) + "); run.note(" + at +
             ", value); run.note(" + at + " + 1, succeeded); }";
  }
}

void emit_program(const oracle::Program& program, std::uint64_t index) {
  const oracle::OutcomeLayout layout(program);
  std::printf("// %s\nbool program_%llu(LitmusRun& run, std::size_t thread, std::size_t step) {\n",
              program.name.c_str(), static_cast<unsigned long long>(index));
  std::printf("  switch (thread * 100 + step) {\n");
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    for (std::size_t i = 0; i < program.threads[t].size(); ++i) {
      std::printf("    case %zu: %s return true;\n", t * 100 + i,
                  statement(program.threads[t][i], layout.position[t][i]).c_str());
    }
  }
  std::printf("    default: return false;\n  }\n}\n\n");
}

void emit_main(std::uint64_t seed, std::uint64_t first, std::uint64_t programs) {
  std::printf("}  // namespace\n\nint main(int argc, char** argv) {\n");
  std::printf("  switch (argc == 2 ? std::atoi(argv[1]) : -1) {\n");
  for (std::uint64_t i = first; i < first + programs; ++i) {
    const oracle::Program program = oracle::generated_program(seed, i, oracle::kSmallPrograms);
    std::string initial;
    for (const int value : program.initial) initial += (initial.empty() ? "" : ", ") + std::to_string(value);
    std::printf("    case %llu: tell_outcome(LitmusRun(%zu, %d, {%s}, program_%llu).run()); return 0;\n",
                static_cast<unsigned long long>(i), program.threads.size(),
                oracle::OutcomeLayout(program).size, initial.c_str(), static_cast<unsigned long long>(i));
  }
  std::printf("    default: return 2;\n  }\n}\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t programs = 50, seed = 1, first = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::uint64_t number = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--programs") == 0) programs = number;
    if (std::strcmp(argv[i], "--seed") == 0) seed = number;
    if (std::strcmp(argv[i], "--first") == 0) first = number;
  }
  std::printf("#include <cstdlib>\n#include \"tool/bench/litmus_harness.h\"\n\n");
  std::printf("namespace {\n\nusing heddle::bench::LitmusRun;\nusing heddle::bench::tell_outcome;\n\n");
  for (std::uint64_t i = first; i < first + programs; ++i)
    emit_program(oracle::generated_program(seed, i, oracle::kSmallPrograms), i);
  emit_main(seed, first, programs);
  return 0;
}
