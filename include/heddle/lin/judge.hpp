// A client's records against the specification, and what is wrong in words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/linearize/bars.h"
#include "core/linearize/check.h"
#include "core/linearize/methods.h"
#include "core/linearize/reasons.h"
#include "heddle/lin/record.hpp"

namespace heddle::lin {

// A specification of one's own sees invocations by name; a ready-made one has calls and knows its methods.
template <typename Spec>
inline constexpr bool kIsReadyMade = std::is_same_v<typename Spec::Input, linearize::Call>;

template <typename Spec>
bool has_method(const std::string& method, std::size_t arguments) {
  if constexpr (kIsReadyMade<Spec>) {
    const auto* info = linearize::find_method(linearize::ObjectOf<Spec>::kObject, method);
    return info != nullptr && info->arguments == arguments;
  } else {
    static_cast<void>(method);
    static_cast<void>(arguments);
    return true;
  }
}

template <typename Spec>
typename Spec::Input input_of(const Step& step) {
  if constexpr (kIsReadyMade<Spec>) {
    const auto* info = linearize::find_method(linearize::ObjectOf<Spec>::kObject, step.method);
    linearize::Call call;
    call.name = info->name;
    if (!step.arguments.empty()) call.first = step.arguments[0];
    if (step.arguments.size() > 1) call.second = step.arguments[1];
    return call;
  } else {
    return Invocation{step.method, step.arguments};
  }
}

// An object may say more than the specification asks for (a push that answers true), or say it by a number.
template <typename Spec>
Reply output_of(const Step& step, const Reply& reply) {
  if constexpr (kIsReadyMade<Spec>) {
    const auto* info = linearize::find_method(linearize::ObjectOf<Spec>::kObject, step.method);
    if (info->reply == linearize::ReplyShape::kNothing) return Reply::nothing();
    if (info->reply == linearize::ReplyShape::kTruth && reply.kind == Reply::Kind::kValue)
      return Reply::truth(reply.value != 0);
  }
  return reply;
}

inline std::string text_of(const Record& record, bool pending, const char* arrow) {
  const std::string reply = pending ? "?" : text_of(record.reply);
  return text_of(*record.step) + (reply.empty() ? "" : arrow + reply);
}

inline std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

// A history that was judged: operations are indices of records that were not left out.
template <typename Spec>
class Judged {
 public:
  using HistoryOf = linearize::History<typename Spec::Input, typename Spec::Output>;

  Judged(const Spec& initial, std::vector<Record> records) : initial_(initial), records_(std::move(records)) {
    std::vector<linearize::OperationIndex> index(records_.size());
    for (const auto& [record, returns] : events_of(records_)) {
      if (records_[record].failed) continue;
      if (returns) {
        history_.give_back(index[record], output_of<Spec>(*records_[record].step, records_[record].reply));
      } else {
        index[record] = history_.call(records_[record].thread, input_of<Spec>(*records_[record].step));
        record_.push_back(record);
      }
    }
    answer_ = linearize::check(initial_, history_);
  }

  bool violated() const { return answer_.verdict == linearize::Verdict::kNotLinearizable; }
  const linearize::Answer& answer() const { return answer_; }
  const HistoryOf& history() const { return history_; }

  // What tools need to find the cause: the operations of the prefix that is wrong with their moments, and a
  // linearization of what was right before its last event. `needs`: which operation waits for which, as JSON.
  std::string json(const std::string& name, const std::string& source, const Client& client,
                   const std::string& needs) const {
    const auto& violation = answer_.violation;
    std::string text = "heddle-history\n{\"object\":" + quoted(name) + ",\"source\":" + quoted(source) +
                       ",\"client\":" + quoted(client.text()) + ",\"needs\":" + needs +
                       ",\"prefix\":" + std::to_string(violation.prefix) +
                       ",\"operation\":" + std::to_string(violation.operation) + ",\"operations\":[";
    for (linearize::OperationIndex i = 0; i < record_.size() && history_[i].called < violation.prefix; ++i) {
      const Record& record = records_[record_[i]];
      text += (i == 0 ? "" : ",") + ("{\"thread\":" + std::to_string(record.thread)) +
              ",\"method\":" + quoted(record.step->method) + ",\"args\":[" + arguments_of(record) +
              "],\"result\":" + json_of(record.reply) + ",\"call\":" + std::to_string(history_[i].called) +
              ",\"return\":" + std::to_string(history_[i].returned) + ",\"choices\":[" +
              std::to_string(record.called.choices) + "," + std::to_string(record.returned.choices) + "]}";
    }
    return text + "],\"involved\":[" + list_of(violation.operations) + "],\"order\":[" +
           list_of(order_before()) + "]}";
  }

  // The history as `heddle lin check` reads it.
  std::string json_lines() const {
    std::string text;
    for (const linearize::Event& event : history_.events()) {
      const Record& record = records_[record_[event.operation]];
      const std::string id = ",\"op\":" + std::to_string(event.operation);
      if (event.returns) {
        text += "{\"type\":\"return\"" + id + ",\"result\":" + json_of(record.reply) + "}\n";
        continue;
      }
      text += "{\"type\":\"invoke\"" + id + ",\"thread\":" + std::to_string(record.thread) +
              ",\"method\":" + quoted(record.step->method) + ",\"args\":[" + arguments_of(record) + "]}\n";
    }
    return text;
  }

  std::string message(const std::string& name, const Client& client) const {
    const auto& violation = answer_.violation;
    const Record& culprit = records_[record_[violation.operation]];
    std::string text = name + ": no sequential order of the operations explains the result of " +
                       culprit.step->method + "\n";
    text += text_of(culprit, false, " → ") + " (" + thread_name(culprit.thread) + ") cannot be placed. " +
            std::string(linearize::reason(violation.pattern)) + "\n";
    text += std::to_string(violation.prefix) + " of " + std::to_string(history_.events().size()) +
            " events, up to its return, have no linearization" +
            (violation.shortest ? "; all before it have one.\n" : ".\n");
    text += "client: " + client.text() + "\n";
    return text + bars();
  }

 private:
  static constexpr std::size_t kMostBars = 16;  // the last operations count

  static std::string arguments_of(const Record& record) {
    std::string text;
    for (const Value value : record.step->arguments)
      text += (text.empty() ? "" : ",") + std::to_string(value);
    return text;
  }

  static std::string thread_name(std::uint32_t thread) {
    return thread == 0 ? "main" : "thread " + std::to_string(thread);
  }

  static std::string list_of(const std::vector<linearize::OperationIndex>& operations) {
    std::string text;
    for (const auto operation : operations) text += (text.empty() ? "" : ",") + std::to_string(operation);
    return text;
  }

  std::vector<linearize::OperationIndex> order_before() const {
    return linearize::check(initial_, history_.prefix(answer_.violation.prefix - 1)).order;
  }

  std::string bars() const {
    std::vector<linearize::Bar> bars;
    const auto& violation = answer_.violation;
    for (linearize::OperationIndex i = 0; i < record_.size(); ++i) {
      if (history_[i].called >= violation.prefix) break;
      const bool pending = history_[i].returned >= violation.prefix;
      const auto end = pending ? static_cast<std::uint32_t>(violation.prefix) : history_[i].returned;
      const Record& record = records_[record_[i]];
      bars.push_back({record.thread, history_[i].called, end, text_of(record, pending, " "), pending,
                      i == violation.operation});
    }
    std::string text;
    if (bars.size() > kMostBars) {
      text = "  … " + std::to_string(bars.size() - kMostBars) + " operations before\n";
      bars.erase(bars.begin(), bars.end() - kMostBars);
    }
    return text + linearize::BarChart(std::move(bars)).text();
  }

  Spec initial_;
  std::vector<Record> records_;
  std::vector<std::size_t> record_;  // by operation
  HistoryOf history_;
  linearize::Answer answer_;
};

}  // namespace heddle::lin
