#include "core/trace/strategy_spec.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMost = 1'000'000'000;

constexpr StrategyParameter depth(const char* meaning, std::uint32_t least) {
  return {"d", least, 64, meaning};
}
constexpr StrategyParameter kHistory{"h", 1, 512,
                                     "how many of the latest stores a chosen read may come from [1]"};
constexpr StrategyParameter kEvents{"k", 1, kMost, "operations of one execution [learned]"};
constexpr StrategyParameter kCommunications{"k", 1, kMost, "communication events of one execution [learned]"};
constexpr StrategyParameter kOnce{
    "once", 0, 1,
    "1: change points drawn once for all executions, as published implementations do; no guarantee [0]"};

constexpr StrategyKind kKinds[] = {
    {"auto",
     "a portfolio of the others that learns which of them finds something; needs no parameter",
     {{"without", 1, 64, "leave out this member, by its number in docs/guide/strategies.md [none]"}}},
    {"random",
     "a random thread at each operation, a random store for each load",
     {{"switch", 0, kMost,
       "a thread goes on for so many operations on average; 0: drawn for each execution [1]"}}},
    {"pct",
     "thread priorities that change at d-1 random operations; loads read any store",
     {depth("bug depth: constraints on the order of operations [3]", 1), kEvents, kOnce}},
    {"dpct",
     "pct for executions of unknown length: k comes from the structure of what is executed, as far as seen",
     {depth("bug depth: constraints on the order of operations [3]", 1)}},
    {"pctwm",
     "d reads or synchronisations communicate with other threads, all others see what their thread knows",
     {depth("bug depth: communication relations [2]", 0), kHistory, kCommunications, kOnce}},
    {"pos", "random priorities of operations, drawn anew for those that race with what was performed", {}},
    {"surw",
     "interleavings of the accesses to one random location drawn uniformly; loads read any store",
     {}},
    {"surwm", "surw for weak memory: loads of that location read any store, all others the newest", {}},
    {"places",
     "a random place of the program where threads stand, then one of these; loads read any store",
     {}},
    {"delays",
     "threads in turn, one of them put off where it has taken something or comes to something new; of the "
     "locations in turn old and new stores are read",
     {}},
    {"greybox", "variations of the executions that have shown something new", {}},
    {"exhaustive",
     "every execution once, or once for all that differ only in the order of independent operations",
     {{"preemptions", 0, kMost, "at most so many switches away from a thread that could go on [no bound]"},
      {"stale", 0, kMost, "at most so many loads that do not read the newest store [no bound]"},
      {"reduce", 0, 1, "0: also all orders of independent operations [1]"}}},
};

bool same(const char* a, const char* b, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    if (a[i] != b[i]) return false;
  }
  return b[length] == '\0';
}

std::size_t length_until(const char* text, char a, char b) {
  std::size_t n = 0;
  while (text[n] != '\0' && text[n] != a && text[n] != b) ++n;
  return n;
}

template <std::size_t kCapacity>
void put(TextBuffer<kCapacity>& out, const char* text, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) out << text[i];
}

void list_names(TextBuffer<512>& out) {
  for (const StrategyKind& kind : kKinds) out << (&kind == kKinds ? "" : ", ") << kind.name;
}

void list_parameters(TextBuffer<512>& out, const StrategyKind& kind) {
  if (kind.parameters[0].key == nullptr) {
    out << "'" << kind.name << "' has no parameters.";
    return;
  }
  out << "'" << kind.name << "' has:";
  for (const StrategyParameter& p : kind.parameters) {
    if (p.key != nullptr) out << " " << p.key;
  }
  out << ".";
}

}  // namespace

std::span<const StrategyKind> strategy_kinds() { return kKinds; }

bool StrategySpec::is(const char* name) const {
  return kind_ != nullptr && same(name, kind_->name, length_until(name, '\0', '\0'));
}

std::uint32_t StrategySpec::find(const char* key) const {
  for (std::uint32_t i = 0; kind_ != nullptr && i < kMostStrategyParameters; ++i) {
    const char* known = kind_->parameters[i].key;
    if (known != nullptr && given_[i] && same(key, known, length_until(key, '\0', '\0'))) return i;
  }
  return kMostStrategyParameters;
}

bool StrategySpec::parse(const char* text, TextBuffer<512>& error) {
  *this = {};
  const std::size_t length = length_until(text, ':', '\0');
  for (const StrategyKind& kind : kKinds) {
    if (same(text, kind.name, length)) kind_ = &kind;
  }
  if (kind_ == nullptr) {
    error << "There is no strategy '";
    put(error, text, length);
    error << "'. Known: ";
    list_names(error);
    error << ".";
    return false;
  }
  if (text[length] == '\0') return true;
  const char* at = text + length + 1;
  do {
    if (!parse_parameter(at, error)) return false;
  } while (*at++ == ',');
  return true;
}

bool StrategySpec::parse_parameter(const char*& at, TextBuffer<512>& error) {
  const std::size_t length = length_until(at, '=', ',');
  const char* key = at;
  const char* value = key + length + 1;
  std::uint32_t index = 0;
  while (index < kMostStrategyParameters &&
         (kind_->parameters[index].key == nullptr || !same(key, kind_->parameters[index].key, length)))
    ++index;
  if (index == kMostStrategyParameters || key[length] != '=') {
    error << (index == kMostStrategyParameters ? "Unknown parameter '" : "No value for the parameter '");
    put(error, key, length);
    error << "' of the strategy '" << kind_->name << "': ";
    list_parameters(error, *kind_);
    return false;
  }
  const StrategyParameter& p = kind_->parameters[index];
  std::uint64_t number = 0;
  std::size_t digits = 0;
  for (; value[digits] >= '0' && value[digits] <= '9' && digits < 11; ++digits)
    number = number * 10 + static_cast<std::uint64_t>(value[digits] - '0');
  const std::size_t value_length = length_until(value, ',', '\0');
  if (digits == 0 || digits != value_length || number < p.least || number > p.most) {
    error << "The parameter '" << p.key << "' of the strategy '" << kind_->name << "' is a number from ";
    error.unsigned_decimal(p.least) << " to ";
    error.unsigned_decimal(p.most) << ", not '";
    put(error, value, value_length);
    error << "': " << p.meaning << ".";
    return false;
  }
  given_[index] = true;
  values_[index] = static_cast<std::uint32_t>(number);
  at = value + value_length;
  return true;
}

}  // namespace heddle
