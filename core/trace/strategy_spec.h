// Strategies by name, as users write them: name[:key=value,…]. One table yields the parser, the messages
// about what is wrong with a text, the help, and what the runtime reads its parameters from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/text_buffer.h"

namespace heddle {

inline constexpr std::uint32_t kMostStrategyParameters = 4;

struct StrategyParameter {
  const char* key = nullptr;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  const char* meaning = nullptr;  // with the default
};

struct StrategyKind {
  const char* name = nullptr;
  const char* summary = nullptr;
  StrategyParameter parameters[kMostStrategyParameters];
};

std::span<const StrategyKind> strategy_kinds();

class StrategySpec {
 public:
  // Says what is wrong where it answers false.
  bool parse(const char* text, TextBuffer<512>& error);

  const char* name() const { return kind_ != nullptr ? kind_->name : ""; }
  bool is(const char* name) const;
  bool has(const char* key) const { return find(key) < kMostStrategyParameters; }
  // The value that was given, or `fallback`.
  std::uint32_t value(const char* key, std::uint32_t fallback) const {
    const std::uint32_t i = find(key);
    return i < kMostStrategyParameters ? values_[i] : fallback;
  }

 private:
  std::uint32_t find(const char* key) const;
  bool parse_parameter(const char*& at, TextBuffer<512>& error);

  const StrategyKind* kind_ = nullptr;
  bool given_[kMostStrategyParameters] = {};
  std::uint32_t values_[kMostStrategyParameters] = {};
};

}  // namespace heddle
