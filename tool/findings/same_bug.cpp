#include "tool/findings/same_bug.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "tool/findings/fingerprint.h"
#include "tool/trace/stack_view.h"
#include "tool/trace/test_failure.h"

namespace heddle {
namespace {

bool hangs(FindingKind kind) { return kind == FindingKind::kDeadlock || kind == FindingKind::kLostWakeUp; }

bool is_of_kind(FindingKind before, FindingKind now) {
  return before == now || (hangs(before) && hangs(now));
}

// What a program says about itself. Numbers in it are chance.
bool message_decides(FindingKind kind) {
  return kind == FindingKind::kReported || kind == FindingKind::kNotLinearizable ||
         kind == FindingKind::kUncaughtException;
}

std::string lasting(const TraceFinding& finding) {
  std::string text = finding.message.substr(0, finding.message.find('\n'));
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0) words.insert(word);
    word.clear();
  }
  return words;
}

// At least half of all their words are in both.
bool is_similar(const std::string& a, const std::string& b) {
  const std::set<std::string> x = words_of(a), y = words_of(b);
  const auto both =
      static_cast<std::size_t>(std::ranges::count_if(x, [&](const auto& w) { return y.contains(w); }));
  return both != 0 && 2 * both >= x.size() + y.size() - both;
}

std::string line_of(const std::vector<std::string>& text, std::uint32_t line) {
  return line == 0 || line > text.size() ? std::string() : text[line - 1];
}

// Both have a place for each of the other one's.
template <typename A, typename B, typename Is>
bool fits(const std::vector<A>& few, const std::vector<B>& many, Is is) {
  std::vector<bool> used(many.size());
  return std::ranges::all_of(few, [&](const A& a) {
    for (std::size_t i = 0; i < many.size(); ++i) {
      if (used[i] || !is(a, many[i])) continue;
      used[i] = true;
      return true;
    }
    return false;
  });
}

}  // namespace

std::string plain_function(const std::string& function) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)", kOperator = "operator",
                             kLambda = "{lambda}";
  const std::string_view text = function;
  std::string name;
  int angles = 0, brackets = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const char c = text[i];
    const bool inside = angles != 0 || brackets != 0;
    if (!inside && rest.starts_with(kAnonymous)) {
      name += kAnonymous.substr(0, 10);  // without the blank
      i += kAnonymous.size() - 1;
    } else if (rest.starts_with(kOperator) && rest.size() > kOperator.size() &&
               std::ispunct(static_cast<unsigned char>(rest[kOperator.size()])) != 0 &&
               rest[kOperator.size()] != '_') {
      std::size_t end =
          rest.starts_with("operator()") ? kOperator.size() + 2 : rest.find('(', kOperator.size());
      end = std::min(end, rest.size());
      if (!inside) name += rest.substr(0, end);
      i += end - 1;
    } else if (!inside &&
               (rest.starts_with("$_") || rest.starts_with("{lambda") || rest.starts_with("'lambda"))) {
      // "{lambda(int)#1}" of g++, "$_0" and "'lambda0'" of clang.
      const bool is_braced = c == '{';
      std::size_t end = is_braced   ? rest.find('}')
                        : c == '\'' ? rest.find('\'', 1)
                                    : rest.find_first_not_of("0123456789", 2);
      if (end == std::string_view::npos) end = rest.size();
      name += kLambda;
      i += c == '$' ? end - 1 : end;
    } else if (c == '<' || c == '>') {
      if (!inside && rest.starts_with("<lambda")) name += kLambda;  // g++'s debug information
      angles += c == '<' ? 1 : -1;
    } else if (c == '(' || c == ')') {
      brackets += c == '(' ? 1 : -1;
    } else if (!inside) {
      name += c;
    }
  }
  name = name.substr(0, name.find(" ["));  // "[abi:cxx11]", "[clone .cold]"
  for (const auto& [from, to] : {std::pair{" const::", "::"}, {"{lambda}::operator()", "{lambda}"}}) {
    const std::string_view old = from;
    for (std::size_t at = 0; (at = name.find(old, at)) != std::string::npos;)
      name.replace(at, old.size(), to);
  }
  for (const std::string_view end : {" const", " volatile", " &", "&"}) {
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  }
  return name.substr(name.rfind(' ') + 1);
}

SameBug::SameBug(const Trace& trace, Asked asked) : asked_(asked) {
  if (trace.findings.empty()) return;
  const TraceFinding& finding = trace.findings.front();
  kind_ = finding.kind;
  build_id_ = trace.program.build_id;
  fingerprint_ = fingerprint(trace, finding);
  places_ = places_of(trace, finding);
  message_ = lasting(finding);
  exit_status_ = finding.exit_status;
  lines_ = std::make_shared<CarriedLines>(trace.symbols);
  if (const auto failure = first_test_failure(trace.output)) {
    test_ = failure->test;
    test_file_ = source_file_of(*failure, trace.symbols);
    if (test_file_.empty()) test_file_ = failure->file;
    test_line_ = failure->line;
  }
}

std::vector<SameBug::Place> SameBug::places_of(const Trace& trace, const TraceFinding& finding) {
  std::vector<Place> places;
  const std::vector<const TracePart*> deciding = deciding_parts(finding);
  const bool has_circle =
      hangs(finding.kind) && std::ranges::any_of(finding.parts, [](const TracePart& part) {
        return part.role == PartRole::kBlockedThread;
      });
  for (const TracePart& part : finding.parts) {
    if (std::ranges::find(deciding, &part) == deciding.end()) continue;
    // Who waits behind those that wait for each other depends on the moment.
    if (has_circle && part.role != PartRole::kBlockedThread) continue;
    const std::vector<Frame> frames = visible_frames(trace, part.pc, part.stack);
    const Frame* frame = deciding_frame(frames);
    Place place;
    if (frame != nullptr) {
      place.function = plain_function(frame->function);
      place.file = frame->file;
      place.line = frame->line;
      place.function_line = frame->function_line;
    }
    const auto data = trace.symbols.data.find(part.address);
    if (data != trace.symbols.data.end()) place.variable = data->second.variable;
    place.joins = hangs(finding.kind) && part.address == 0 && part.other != kNoThread;
    places.push_back(std::move(place));
  }
  return places;
}

bool SameBug::is_edited(const Place& before, const Place& now) const {
  const MovedLines& moved = lines_->between(before.file, now.file);
  if (before.function != now.function || moved.is_old(now.line)) return false;
  if (!before.variable.empty() && before.variable == now.variable) return true;
  return is_similar(lines_->text_before(before.file, before.line),
                    line_of(lines_->text_now(now.file), now.line));
}

bool SameBug::is_at(const Place& before, const Place& now) const {
  const bool same_function = before.function == now.function;
  if (before.line == 0 || now.line == 0) return same_function && !before.function.empty();
  const bool same_file = file_name(before.file) == file_name(now.file);
  const bool may_be_renamed = asked_ == Asked::kSameProgram || !before.function.starts_with("main");
  if (!same_file && !(same_function && may_be_renamed)) return false;
  const MovedLines& moved = lines_->between(before.file, now.file);
  if (!moved.is_known()) {
    if (!same_file || !same_function) return false;
    const bool inside = before.function_line != 0 && now.function_line != 0;
    return inside ? std::int64_t{before.line} - before.function_line ==
                        std::int64_t{now.line} - now.function_line
                  : before.line == now.line;
  }
  const auto line = moved.now(before.line);
  if (!line) return is_edited(before, now);
  const std::vector<std::string>& text = lines_->text_now(now.file);
  return statement_of(text, *line) == statement_of(text, now.line) &&
         (same_function || moved.is_unmistakable(before.line));
}

bool SameBug::is_exactly_at(const Place& before, const Place& now) const {
  if (before.line == 0 || now.line == 0) return before.function == now.function && !before.function.empty();
  return before.line == now.line && file_name(before.file) == file_name(now.file);
}

bool SameBug::has_same_places(const std::vector<Place>& now, IsAt is_there) const {
  const auto same = [&](const Place& a, const Place& b) { return (this->*is_there)(a, b); };
  if (places_.size() != now.size()) return false;
  if (fits(places_, now, same)) return true;
  // Of two accesses either may have come second.
  const std::vector<Place> reversed(places_.rbegin(), places_.rend());
  if (fits(reversed, now, same)) return true;
  if (kind_ != FindingKind::kDataRace || is_there == &SameBug::is_exactly_at || now.size() != 2) return false;
  // Another optimisation leaves another one of several accesses that a function makes.
  for (const std::size_t i : {0, 1}) {
    for (const std::size_t k : {0, 1}) {
      const Place &before = places_[1 - i], &after = now[1 - k];
      if (same(places_[i], now[k]) && !before.function.empty() && before.function == after.function)
        return true;
    }
  }
  return false;
}

bool SameBug::hangs_there(const std::vector<Place>& now, IsAt is_there) const {
  std::vector<Place> before = places_, after = now;
  // Who waits for the end of a thread that hangs hangs by that alone.
  const auto leave_out_joins = [](std::vector<Place>& places) {
    const auto joins = [](const Place& place) { return place.joins; };
    if (!std::ranges::all_of(places, joins)) std::erase_if(places, joins);
  };
  leave_out_joins(before);
  leave_out_joins(after);
  const auto same = [&](const Place& a, const Place& b) { return (this->*is_there)(a, b); };
  const bool has_all_old = std::ranges::all_of(before, [&](const Place& a) {
    return std::ranges::any_of(after, [&](const Place& b) { return same(a, b); });
  });
  const bool has_no_new = std::ranges::all_of(after, [&](const Place& b) {
    return std::ranges::any_of(before, [&](const Place& a) { return same(a, b); });
  });
  return has_all_old || has_no_new;
}

bool SameBug::is_same_check(const Trace& trace, IsAt is_there) const {
  const auto failure = first_test_failure(trace.output);
  if (!failure) return test_.empty() && test_line_ == 0;
  if (failure->test != test_) return false;
  Place before, now;
  before.function = now.function = test_;
  before.file = test_file_;
  before.line = test_line_;
  now.file = source_file_of(*failure, trace.symbols);
  if (now.file.empty()) now.file = failure->file;
  now.line = failure->line;
  return (this->*is_there)(before, now);
}

bool SameBug::is(const Trace& trace, const TraceFinding& finding) const {
  if (kind_ == FindingKind::kNone || !is_of_kind(kind_, finding.kind)) return false;
  const bool same_build = !build_id_.empty() && trace.program.build_id == build_id_;
  if (same_build && fingerprint(trace, finding) == fingerprint_) return true;
  if (message_decides(kind_) && lasting(finding) != message_) return false;
  if (kind_ == FindingKind::kNonZeroExit && finding.exit_status != exit_status_) return false;
  const IsAt is_there = same_build ? &SameBug::is_exactly_at : &SameBug::is_at;
  if (kind_ == FindingKind::kTestFailure) return is_same_check(trace, is_there);
  const std::vector<Place> now = places_of(trace, finding);
  if (places_.empty() || now.empty()) return places_.empty() && now.empty() && lasting(finding) == message_;
  if (hangs(kind_)) return hangs_there(now, is_there);
  // Where in their loop the threads stood is chance.
  if (kind_ == FindingKind::kLivelock) {
    return std::ranges::any_of(places_, [&](const Place& a) {
      return std::ranges::any_of(
          now, [&](const Place& b) { return a.function == b.function && !a.function.empty(); });
    });
  }
  return has_same_places(now, is_there);
}

}  // namespace heddle
