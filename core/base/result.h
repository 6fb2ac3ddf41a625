// Result<T>: a value, or an error of the user's or the system's with what to do about it. Tool code only.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace heddle {

// Exit codes of the command line (docs/guide/commands.md).
enum class ExitCode : int { kNoBug = 0, kInconclusive = 1, kBadInput = 2, kOwnError = 3, kBug = 66 };

struct Error {
  std::string message;  // what is wrong and what to do, one or more whole sentences, no trailing newline
  ExitCode code = ExitCode::kBadInput;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace heddle
