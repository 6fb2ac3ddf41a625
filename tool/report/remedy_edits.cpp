#include "tool/report/remedy_edits.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/report/explained.h"
#include "tool/report/places.h"

namespace heddle::report {
namespace {

class EditsOf {
 public:
  RemedyEdits made;

  void order(const RemedyPart& part) {
    const Frame& frame = part.shown.frame;
    const bool failed = part.shown.event.kind == EventKind::kCasFailed;
    const auto* text = source(frame);
    const auto word = text == nullptr
                          ? std::nullopt
                          : edit::order_token(*text, {frame.line, frame.column, part.was, failed});
    take(frame, word, word ? edit::with_order(word->text, part.rule.order) : "",
         fmt::format("the order at {}:{} becomes {}", base_name(frame.file), frame.line,
                     order_name(part.rule.order)));
  }

  void notification(const RemedyPart& part) {
    const Frame& frame = part.shown.frame;
    const auto* text = source(frame);
    const auto word = text == nullptr ? std::nullopt : edit::notify_one_token(*text, frame.line);
    take(frame, word, word ? edit::notify_all_for(word->text) : "",
         fmt::format("the notification at {}:{} wakes all", base_name(frame.file), frame.line));
  }

  void second_look(const RemedyPart& part) {
    const Frame& frame = part.shown.frame;
    const auto* text = source(frame);
    const auto word = text == nullptr ? std::nullopt : edit::if_before_wait(*text, frame.line);
    take(frame, word, "while",
         fmt::format("the wait at {}:{} looks again", base_name(frame.file), frame.line));
  }

 private:
  const edit::SourceText* source(const Frame& frame) {
    if (frame.file.empty() || frame.line == 0) return nullptr;
    auto known = made.files.find(frame.file);
    if (known == made.files.end()) {
      auto text = edit::read_source(frame.file);
      if (!text) return nullptr;
      known = made.files.emplace(frame.file, std::move(*text)).first;
    }
    return &known->second;
  }

  void take(const Frame& frame, const std::optional<edit::SourceToken>& word, const std::string& after,
            const std::string& by_hand) {
    if (!word) {
      if (std::find(made.by_hand.begin(), made.by_hand.end(), by_hand) == made.by_hand.end())
        made.by_hand.push_back(by_hand);
      return;
    }
    const edit::SourceEdit one{frame.file, word->line, word->column, word->text, after};
    if (std::find(made.edits.begin(), made.edits.end(), one) == made.edits.end()) made.edits.push_back(one);
  }
};

// Two orders for one word: the copies of a line need both.
void join_orders(std::vector<RemedyPart>& parts) {
  for (RemedyPart& part : parts) {
    for (const RemedyPart& other : parts) {
      const bool same_word = other.shown.frame == part.shown.frame && other.was == part.was &&
                             other.shown.event.kind == part.shown.event.kind;
      if (same_word) part.rule.order = join_of(part.rule.order, other.rule.order);
    }
  }
}

}  // namespace

RemedyEdits remedy_edits(const Explanation& explanation) {
  EditsOf edits;
  if (!explanation.remedy) return {};
  std::vector<RemedyPart> parts = explanation.remedy->parts;
  switch (explanation.remedy->kind) {
    case RemedyKind::kOrders:
      join_orders(parts);
      for (const RemedyPart& part : parts) edits.order(part);
      break;
    case RemedyKind::kNotifyAll:
      for (const RemedyPart& part : parts) edits.notification(part);
      break;
    case RemedyKind::kRecheck:
      for (const RemedyPart& part : parts) {
        if (part.rule.kind != RuleKind::kAfter) edits.second_look(part);
      }
      break;
    default:
      break;
  }
  if (edits.made.edits.empty() && edits.made.by_hand.empty())
    edits.made.by_hand.push_back(remedy_sentence(explanation));
  return std::move(edits.made);
}

}  // namespace heddle::report
