#include "core/litmus/program.h"

#include <algorithm>
#include <charconv>

namespace heddle::litmus {

const char* to_string(Order order) {
  constexpr const char* kNames[] = {"rlx", "con", "acq", "rel", "ar", "sc"};
  return kNames[static_cast<int>(order)];
}

std::string location_name(int location) {
  return location < 3 ? std::string(1, static_cast<char>('x' + location)) : "v" + std::to_string(location);
}

namespace {

std::string to_string(const Op& op) {
  const std::string x = location_name(op.location);
  const std::string order = to_string(op.order);
  const std::string value = std::to_string(op.value);
  switch (op.kind) {
    case OpKind::kLoad:
      return "load " + x + " " + order;
    case OpKind::kStore:
      return "store " + x + " " + value + " " + order;
    case OpKind::kAdd:
      return "add " + x + " " + value + " " + order;
    case OpKind::kExchange:
      return "exchange " + x + " " + value + " " + order;
    case OpKind::kCas:
    case OpKind::kWeakCas:
      return std::string(op.kind == OpKind::kCas ? "cas " : "weak-cas ") + x + " " +
             std::to_string(op.expected) + " " + value + " " + order + " " + to_string(op.failure);
    case OpKind::kFence:
      return "fence " + order;
  }
  return "?";
}

}  // namespace

std::string to_string(const Program& program) {
  std::string text = "# " + program.name + "\ninit";
  for (std::size_t i = 0; i < program.initial.size(); ++i) {
    text += " " + location_name(static_cast<int>(i)) + "=" + std::to_string(program.initial[i]);
  }
  for (const auto& thread : program.threads) {
    text += "\nthread ";
    for (std::size_t i = 0; i < thread.size(); ++i) text += (i == 0 ? "" : " ; ") + to_string(thread[i]);
  }
  return text + "\n";
}

OutcomeLayout::OutcomeLayout(const Program& program) {
  for (const auto& thread : program.threads) {
    auto& positions = position.emplace_back();
    for (const Op& op : thread) {
      positions.push_back(op.reads() ? size : -1);
      if (op.reads()) size += op.is_cas() ? 2 : 1;
    }
  }
  finals = size;
  size += static_cast<int>(program.initial.size());
}

std::string to_string(const Program& program, const Outcome& outcome) {
  const OutcomeLayout layout(program);
  std::string text;
  for (std::size_t t = 0; t < program.threads.size(); ++t) {
    text += (t == 0 ? "t" : " | t") + std::to_string(t) + ":";
    for (std::size_t i = 0; i < program.threads[t].size(); ++i) {
      const int at = layout.position[t][i];
      if (at < 0) continue;
      text += " " + std::to_string(outcome[static_cast<std::size_t>(at)]);
      if (program.threads[t][i].is_cas())
        text += outcome[static_cast<std::size_t>(at) + 1] ? "(ok)" : "(failed)";
    }
  }
  text += " | final";
  for (std::size_t x = 0; x < program.initial.size(); ++x) {
    text += " " + location_name(static_cast<int>(x)) + "=" +
            std::to_string(outcome[static_cast<std::size_t>(layout.finals) + x]);
  }
  return text;
}

Outcome outcome_of(const std::string& numbers) {
  Outcome outcome;
  const char* at = numbers.data();
  const char* end = at + numbers.size();
  while (at < end) {
    if (*at == ' ') ++at;
    int value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc()) return {};
    outcome.push_back(value);
    at = rest;
  }
  return outcome;
}

std::uint64_t interleavings(const Program& program) {
  double ways = 1;
  int total = 0;
  for (const auto& thread : program.threads) {
    for (std::size_t i = 1; i <= thread.size(); ++i) ways = ways * ++total / static_cast<double>(i);
  }
  return static_cast<std::uint64_t>(std::min(ways + 0.5, 1e9));
}

}  // namespace heddle::litmus
