// A history as it is read from a file, with what is needed to speak about it.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/linearize/call.h"
#include "tool/linearize/methods.h"

namespace heddle::linearize {

// Values that are no integers get numbers that no integer of a file has.
class Words {
 public:
  Value number_of(const nlohmann::json& value);
  std::string text_of(Value value) const;

 private:
  std::unordered_map<std::string, Value> numbers_;
  std::vector<std::string> texts_;
};

struct NamedHistory {
  Object object = Object::kQueue;
  CallHistory history;
  Value initial = 0;               // of a register
  std::vector<std::string> names;  // the file's ids, by operation
  std::vector<std::size_t> lines;  // of the call, by operation
  Words words;
};

// What is wrong with a line of a file.
Error at_line(std::size_t line, const std::string& message);

// Gathers events, whose order is that of the lines, and complains about those that fit nothing.
class HistoryBuilder {
 public:
  explicit HistoryBuilder(Object object);

  // `id` names the operation until its return. Errors begin with "line N: ".
  Status call(std::size_t line, const std::string& id, std::uint32_t thread, const std::string& method,
              const nlohmann::json& arguments);
  Status give_back(std::size_t line, const std::string& id, const nlohmann::json& result);
  // The operation stays pending; the id is free for another.
  Status leave_pending(std::size_t line, const std::string& id);
  // The operation did not happen.
  Status take_away(std::size_t line, const std::string& id);
  // Ids name one operation in the whole file (and not until its return).
  void forbid_reuse() { reuse_ = false; }
  void start_from(const nlohmann::json& initial) { initial_ = words_.number_of(initial); }
  std::size_t events() const { return events_.size(); }

  NamedHistory build();

 private:
  struct Entry {
    const MethodInfo* method;
    Call call;
    std::optional<Reply> reply;
    std::uint32_t thread;
    std::string name;
    std::size_t line;
    bool happened = true;
  };
  struct Use {
    std::size_t entry;
    bool open;
    std::size_t line;  // of the last event
  };

  Result<Use*> open_use(std::size_t line, const std::string& id);
  Result<Reply> reply_of(std::size_t line, const MethodInfo& method, const nlohmann::json& result);

  Object object_;
  bool reuse_ = true;
  Value initial_ = 0;
  Words words_;
  std::vector<Entry> entries_;
  std::vector<std::pair<std::size_t, bool>> events_;  // entry, whether it is the return
  std::unordered_map<std::string, Use> uses_;
};

}  // namespace heddle::linearize
