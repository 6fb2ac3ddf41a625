#include "tool/linearize/history_builder.h"

#include <fmt/core.h>

#include <limits>
#include <utility>

namespace heddle::linearize {

Error at_line(std::size_t line, const std::string& message) {
  return {fmt::format("line {}: {}", line, message)};
}

namespace {

constexpr Value kFirstWord = std::numeric_limits<Value>::min() / 2;
constexpr Value kMostWords = Value{1} << 40;
constexpr Value kMostComponents = 1 << 16;  // of a snapshot

std::string dumped(const nlohmann::json& value) {
  return value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

bool is_word(const nlohmann::json& value) {
  return value.is_number_integer() || value.is_string() || value.is_boolean() || value.is_null();
}

// An integer that stands for itself. Those beyond a Value, as unsigned hashes can be, and those that stand
// for words are words, too.
bool is_plain(const nlohmann::json& value) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
  return value.get<Value>() < kFirstWord || value.get<Value>() >= kFirstWord + kMostWords;
}

// Objects whose values are compared, counted or used as an index take integers only.
bool wants_integers(Object object) {
  return object == Object::kPriorityQueue || object == Object::kCounter || object == Object::kSnapshot;
}

}  // namespace

Value Words::number_of(const nlohmann::json& value) {
  if (is_plain(value)) return value.get<Value>();
  const auto [found, is_new] =
      numbers_.try_emplace(dumped(value), kFirstWord + static_cast<Value>(texts_.size()));
  if (is_new) texts_.push_back(found->first);
  return found->second;
}

std::string Words::text_of(Value value) const {
  if (value >= kFirstWord && value < kFirstWord + static_cast<Value>(texts_.size())) {
    return texts_[static_cast<std::size_t>(value - kFirstWord)];
  }
  return std::to_string(value);
}

HistoryBuilder::HistoryBuilder(Object object) : object_(object) {}

Status HistoryBuilder::call(std::size_t line, const std::string& id, std::uint32_t thread,
                            const std::string& method, const nlohmann::json& arguments) {
  const auto used = uses_.find(id);
  if (used != uses_.end() && (used->second.open || !reuse_)) {
    return at_line(line, fmt::format("operation {} was invoked in line {} already.", id,
                                     entries_[used->second.entry].line));
  }
  const MethodInfo* info = find_method(object_, method);
  if (info == nullptr) {
    return at_line(line, fmt::format("a {} has no method {}; it has {}.", name_of(object_), dumped(method),
                                     methods_of(object_)));
  }
  if (arguments.size() != info->arguments) {
    return at_line(line, fmt::format("{} takes {} argument{}, and here are {}.", method, info->arguments,
                                     info->arguments == 1 ? "" : "s", arguments.size()));
  }
  for (const auto& argument : arguments) {
    if (!is_word(argument) || (wants_integers(object_) && !is_plain(argument))) {
      return at_line(line, fmt::format("{} is no argument that {} of a {} can take.", dumped(argument),
                                       method, name_of(object_)));
    }
  }
  Call made{info->name};
  if (!arguments.empty()) made.first = words_.number_of(arguments[0]);
  if (arguments.size() > 1) made.second = words_.number_of(arguments[1]);
  if (made.name == Name::kUpdate && (made.first < 0 || made.first >= kMostComponents)) {
    return at_line(line,
                   fmt::format("component {} is not between 0 and {}.", made.first, kMostComponents - 1));
  }
  uses_[id] = {entries_.size(), true, line};
  events_.emplace_back(entries_.size(), false);
  entries_.push_back({info, made, std::nullopt, thread, id, line});
  return Done{};
}

Result<HistoryBuilder::Use*> HistoryBuilder::open_use(std::size_t line, const std::string& id) {
  const auto used = uses_.find(id);
  if (used == uses_.end()) return at_line(line, fmt::format("operation {} was never invoked.", id));
  if (!used->second.open) {
    return at_line(line, fmt::format("operation {} returned in line {} already.", id, used->second.line));
  }
  used->second.open = false;
  used->second.line = line;
  return &used->second;
}

Status HistoryBuilder::give_back(std::size_t line, const std::string& id, const nlohmann::json& result) {
  const auto use = open_use(line, id);
  if (!use) return use.error();
  Entry& entry = entries_[(*use)->entry];
  auto reply = reply_of(line, *entry.method, result);
  if (!reply) return reply.error();
  entry.reply = std::move(*reply);
  events_.emplace_back((*use)->entry, true);
  return Done{};
}

Status HistoryBuilder::leave_pending(std::size_t line, const std::string& id) {
  const auto use = open_use(line, id);
  return use ? Status(Done{}) : Status(use.error());
}

Status HistoryBuilder::take_away(std::size_t line, const std::string& id) {
  const auto use = open_use(line, id);
  if (!use) return use.error();
  entries_[(*use)->entry].happened = false;
  return Done{};
}

Result<Reply> HistoryBuilder::reply_of(std::size_t line, const MethodInfo& method,
                                       const nlohmann::json& result) {
  const auto word = [&]() -> bool {
    return is_word(result) && (!wants_integers(object_) || is_plain(result));
  };
  switch (method.reply) {
    case ReplyShape::kNothing:
      if (result.is_null() || result == true || result == "ok") return Reply::nothing();
      break;
    case ReplyShape::kTruth:
      if (result.is_boolean()) return Reply::truth(result.get<bool>());
      break;
    case ReplyShape::kValueOrEmpty:
      if (result == "empty") return Reply::empty();
      if (word() && !result.is_null()) return Reply::of(words_.number_of(result));
      break;
    case ReplyShape::kValueOrNull:
      if (result.is_null() || result == "empty") return Reply::empty();  // the recorder writes the latter
      [[fallthrough]];
    case ReplyShape::kValue:
      if (word()) return Reply::of(words_.number_of(result));
      break;
    case ReplyShape::kMany: {
      Reply reply{Reply::Kind::kMany};
      if (!result.is_array()) break;
      for (const auto& element : result) {
        if (!is_plain(element)) {
          return at_line(line, fmt::format("{} is no component of a snapshot.", dumped(element)));
        }
        reply.many.push_back(element.get<Value>());
      }
      return reply;
    }
  }
  return at_line(line, fmt::format("{} is no result of {}.", dumped(result), method.text));
}

NamedHistory HistoryBuilder::build() {
  NamedHistory named;
  named.object = object_;
  named.initial = initial_;
  std::vector<OperationIndex> numbers(entries_.size());
  for (const auto& [index, returns] : events_) {
    Entry& entry = entries_[index];
    if (!entry.happened) continue;
    if (returns) {
      named.history.give_back(numbers[index], std::move(*entry.reply));
    } else {
      numbers[index] = named.history.call(entry.thread, entry.call);
      named.names.push_back(reuse_ ? fmt::format("\"{}@{}\"", entry.name, entry.line) : entry.name);
      named.lines.push_back(entry.line);
    }
  }
  named.words = std::move(words_);
  return named;
}

}  // namespace heddle::linearize
