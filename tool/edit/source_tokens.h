// The one word of a source line that a change is about: a memory order, the name of a notification, the `if` before a
// wait. Read from the text alone, so nothing is answered where more than one word could be meant, or where the order is
// not written out (a variable, a macro, a default argument).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace heddle::edit {

struct SourceText {
  std::vector<std::string> lines;  // line 1 is the first
  bool last_line_ends = true;      // with a newline
};

struct SourceToken {
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // of its first byte; 1 is the first
  std::string text;
};

// Where the order of an operation is written. `column`: where the compiler says that the call is; 0: not known. A
// compare-exchange that failed has the last order of its call, all else the first.
struct OrderAt {
  std::uint32_t line = 0, column = 0;
  MemoryOrder order = MemoryOrder::kRelaxed;
  bool of_failed_exchange = false;
};
std::optional<SourceToken> order_token(const SourceText& text, const OrderAt& at);
// The same word with another order, in the same way of writing: "std::memory_order::relaxed" has "acquire" as its last
// part, "__ATOMIC_RELAXED" becomes "__ATOMIC_ACQUIRE".
std::string with_order(const std::string& token, MemoryOrder order);

// A call that wakes one, and the call that wakes all.
std::optional<SourceToken> notify_one_token(const SourceText& text, std::uint32_t line);
std::string notify_all_for(const std::string& token);

// The `if` whose only statement is the wait at `line`, without an else.
std::optional<SourceToken> if_before_wait(const SourceText& text, std::uint32_t line);

}  // namespace heddle::edit
