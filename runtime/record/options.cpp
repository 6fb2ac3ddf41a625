#include "runtime/record/options.h"

namespace heddle::record {
namespace {

// Does `text` begin with `prefix`? Then what follows, else nullptr.
const char* after_prefix(const char* text, const char* prefix) {
  for (; *prefix != '\0'; ++prefix, ++text) {
    if (*text != *prefix) return nullptr;
  }
  return text;
}

// All but these are mistakes of writing, and what was meant by them is not known.
bool is_option(const char* text) {
  constexpr const char* kNames[] = {"limit=", "share=", "instance=", "profile="};
  for (const char* name : kNames) {
    if (after_prefix(text, name) != nullptr) return true;
  }
  return false;
}

// The option after this one, or the end.
const char* next_option(const char* at) {
  while (*at != '\0' && *at != ',') ++at;
  return *at == ',' ? at + 1 : at;
}

}  // namespace

bool parse_bytes(const char* text, std::uint64_t& bytes) {
  std::uint64_t number = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9'; ++at) {
    if (number > (~0ull >> 40)) return false;
    number = number * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  if (at == text) return false;
  if (*at == 'K' || *at == 'M' || *at == 'G') {
    number <<= *at == 'K' ? 10 : *at == 'M' ? 20 : 30;
    ++at;
  }
  bytes = number;
  return *at == '\0' || *at == ',';
}

bool is_word(const char* text, const char* word) {
  const char* rest = after_prefix(text, word);
  return rest != nullptr && (*rest == '\0' || *rest == ',');
}

bool parse_share(const char* text, std::uint32_t& percent) {
  std::uint64_t number = 0;
  if (is_word(text, "one")) {
    percent = 0;
    return true;
  }
  if (!parse_bytes(text, number) || number < 1 || number > 100) return false;
  percent = static_cast<std::uint32_t>(number);
  return true;
}

const char* Options::find(const char* name) const {
  for (const char* at = rest; *at != '\0'; at = next_option(at)) {
    if (const char* value = after_prefix(at, name); value != nullptr && *value == '=') return value + 1;
  }
  return nullptr;
}

const char* parse_options(const char* text, Options& options) {
  const char* directory = nullptr;
  struct Kind {
    const char* prefix;
    LogKind kind;
  };
  constexpr Kind kKinds[] = {
      {"path:", LogKind::kPath}, {"vars:", LogKind::kVariables}, {"blocks:", LogKind::kBlocks}};
  for (const Kind& kind : kKinds) {
    if (const char* rest = after_prefix(text, kind.prefix)) {
      options.kind = kind.kind;
      directory = rest;
    }
  }
  if (directory == nullptr) return "it begins with none of path:, vars: and blocks:";
  std::size_t length = 0;
  for (; directory[length] != '\0' && directory[length] != ','; ++length) {
    if (length + 1 >= Options::kMostPath) return "the directory's name is too long";
    options.directory[length] = directory[length];
  }
  if (length == 0) return "it names no directory";
  options.rest = directory[length] == ',' ? directory + length + 1 : directory + length;
  for (const char* at = options.rest; *at != '\0'; at = next_option(at)) {
    if (!is_option(at)) return "after the directory come limit=, share=, instance= and profile= only";
  }
  if (const char* limit = options.find("limit"); limit != nullptr && !parse_bytes(limit, options.limit))
    return "limit= is no number of bytes";
  std::uint32_t percent = 0;
  if (const char* share = options.find("share"); share != nullptr && !parse_share(share, percent))
    return "share= is neither a number from 1 to 100 nor \"one\"";
  if (options.kind == LogKind::kPath) {
    constexpr const char* kOfElements[] = {"share", "instance", "profile"};
    for (const char* name : kOfElements) {
      if (options.find(name) != nullptr)
        return "share=, instance= and profile= are for vars: and blocks: only";
    }
  }
  constexpr std::uint64_t kLeast = 64 << 10;
  if (options.limit < kLeast) return "limit= is less than 64K";
  return nullptr;
}

}  // namespace heddle::record
