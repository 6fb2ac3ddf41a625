// What goes into an operation and what comes out of it, as values that histories, texts and specifications
// share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/linearize/call.h"

namespace heddle::lin {

using linearize::Reply;
using linearize::Value;

// An argument, as any integer or enumeration type that an operation's parameter has.
struct Argument {
  Value value;
  template <typename T, typename = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>>
  operator T() const {  // NOLINT(google-explicit-constructor): it stands for a value of that type
    return static_cast<T>(value);
  }
};

// What a specification of one's own sees of an operation.
struct Invocation {
  std::string_view method;
  std::vector<Value> arguments = {};

  Value operator[](std::size_t i) const { return arguments[i]; }
  bool is(std::string_view name) const { return method == name; }
  friend bool operator==(const Invocation& a, const Invocation& b) {
    return a.method == b.method && a.arguments == b.arguments;
  }
};

template <typename T, typename = void>
inline constexpr bool kIsRange = false;
template <typename T>
inline constexpr bool kIsRange<
    T, std::void_t<decltype(std::declval<const T&>().begin()), decltype(std::declval<const T&>().end())>> =
    true;

inline Reply reply_of(Reply reply) { return reply; }
inline Reply reply_of(std::nullopt_t) { return Reply::empty(); }

template <typename T, typename = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>>
Reply reply_of(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return Reply::truth(value);
  } else {
    return Reply::of(static_cast<Value>(value));
  }
}

template <typename T>
Reply reply_of(const std::optional<T>& value) {
  return value ? reply_of(*value) : Reply::empty();
}

template <typename First, typename Second>
Reply reply_of(const std::pair<First, Second>& pair) {
  Reply reply;
  reply.kind = Reply::Kind::kMany;
  reply.many = {static_cast<Value>(pair.first), static_cast<Value>(pair.second)};
  return reply;
}

template <typename Range, std::enable_if_t<kIsRange<Range>, int> = 0>
Reply reply_of(const Range& values) {
  Reply reply;
  reply.kind = Reply::Kind::kMany;
  for (const auto& value : values) reply.many.push_back(static_cast<Value>(value));
  return reply;
}

inline std::string text_of(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNothing:
      return "";
    case Reply::Kind::kValue:
      return std::to_string(reply.value);
    case Reply::Kind::kTruth:
      return reply.value != 0 ? "true" : "false";
    case Reply::Kind::kEmpty:
      return "empty";
    case Reply::Kind::kMany:
      break;
  }
  std::string text;
  for (const Value value : reply.many) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

// As JSON, the way `heddle lin check` reads it.
inline std::string json_of(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNothing:
      return "null";
    case Reply::Kind::kEmpty:
      return "\"empty\"";
    default:
      return text_of(reply);
  }
}

}  // namespace heddle::lin
