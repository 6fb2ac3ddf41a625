#include "tool/edit/source_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace heddle::edit {
namespace {

constexpr std::uint32_t kMostLines = 12;  // of one call

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Words and marks of some lines, without comments and what is in quotes.
struct Piece {
  SourceToken token;
  bool is_word = false;
};

class Reader {
 public:
  explicit Reader(const SourceText& text) : text_(text) {}

  // Of the lines from `first` to `last`, as far as there are.
  std::vector<Piece> pieces(std::uint32_t first, std::uint32_t last) {
    std::vector<Piece> found;
    for (std::uint32_t line = first; line != 0 && line <= last && line <= text_.lines.size(); ++line)
      read_line(line, text_.lines[line - 1], found);
    return found;
  }

 private:
  void read_line(std::uint32_t number, const std::string& line, std::vector<Piece>& found) {
    for (std::size_t i = 0; i < line.size();) {
      if (in_comment_) {
        const std::size_t end = line.find("*/", i);
        if (end == std::string::npos) return;
        in_comment_ = false;
        i = end + 2;
        continue;
      }
      const char c = line[i];
      if (line.compare(i, 2, "//") == 0) return;
      if (line.compare(i, 2, "/*") == 0) {
        in_comment_ = true;
        i += 2;
      } else if (c == '"' || (c == '\'' && (i == 0 || !is_word(line[i - 1])))) {
        i = after_quotes(line, i);
      } else if (is_word(c)) {
        std::size_t end = i;
        while (end < line.size() && is_word(line[end])) ++end;
        found.push_back({{number, static_cast<std::uint32_t>(i + 1), line.substr(i, end - i)}, true});
        i = end;
      } else {
        if (c != ' ' && c != '\t')
          found.push_back({{number, static_cast<std::uint32_t>(i + 1), std::string(1, c)}, false});
        ++i;
      }
    }
  }

  static std::size_t after_quotes(const std::string& line, std::size_t i) {
    const char quote = line[i++];
    for (; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == quote) {
        return i + 1;
      }
    }
    return line.size();
  }

  const SourceText& text_;
  bool in_comment_ = false;
};

struct OrderName {
  MemoryOrder order;
  std::string_view lower, upper;
};
constexpr std::array<OrderName, 6> kOrders{{{MemoryOrder::kRelaxed, "relaxed", "RELAXED"},
                                            {MemoryOrder::kConsume, "consume", "CONSUME"},
                                            {MemoryOrder::kAcquire, "acquire", "ACQUIRE"},
                                            {MemoryOrder::kRelease, "release", "RELEASE"},
                                            {MemoryOrder::kAcqRel, "acq_rel", "ACQ_REL"},
                                            {MemoryOrder::kSeqCst, "seq_cst", "SEQ_CST"}}};
constexpr std::string_view kCxx11 = "memory_order_", kGnu = "__ATOMIC_", kCxx20 = "memory_order";

// The order that the piece at `at` names. memory_order::relaxed is three pieces, of which the last one is it.
std::optional<MemoryOrder> order_at(const std::vector<Piece>& pieces, std::size_t at) {
  const std::string& word = pieces[at].token.text;
  const bool scoped = at >= 3 && pieces[at - 1].token.text == ":" && pieces[at - 2].token.text == ":" &&
                      pieces[at - 3].token.text == kCxx20;
  for (const OrderName& name : kOrders) {
    if (word.starts_with(kCxx11) && std::string_view(word).substr(kCxx11.size()) == name.lower)
      return name.order;
    if (word.starts_with(kGnu) && std::string_view(word).substr(kGnu.size()) == name.upper) return name.order;
    if (scoped && word == name.lower) return name.order;
  }
  return std::nullopt;
}

using Found = std::pair<SourceToken, MemoryOrder>;

std::vector<Found> orders_of_line(const std::vector<Piece>& pieces, std::uint32_t line) {
  std::vector<Found> found;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].token.line != line) continue;
    if (const auto order = order_at(pieces, i)) found.push_back({pieces[i].token, *order});
  }
  return found;
}

// The orders among the arguments of the first call at or after a column of a line.
std::vector<Found> orders_of_call(const std::vector<Piece>& pieces, std::uint32_t line,
                                  std::uint32_t column) {
  std::size_t i = 0;
  while (i < pieces.size() && (pieces[i].token.line < line || pieces[i].token.column < column)) ++i;
  while (i < pieces.size() && pieces[i].token.text != "(") {
    if (pieces[i].token.text == ";") return {};
    ++i;
  }
  std::vector<Found> found;
  int depth = 0;
  for (; i < pieces.size(); ++i) {
    const std::string& text = pieces[i].token.text;
    if (text == "(" || text == "{" || text == "[") ++depth;
    if (text == ")" || text == "}" || text == "]") --depth;
    if (depth == 0 || text == ";") break;
    if (depth != 1) continue;
    if (const auto order = order_at(pieces, i)) found.push_back({pieces[i].token, *order});
  }
  return found;
}

std::optional<SourceToken> only_word(const SourceText& text, std::uint32_t line, const auto& wanted) {
  std::optional<SourceToken> found;
  for (const Piece& piece : Reader(text).pieces(line, line)) {
    if (!piece.is_word || !wanted(piece.token.text)) continue;
    if (found) return std::nullopt;
    found = piece.token;
  }
  return found;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNotifications{{
    {"notify_one", "notify_all"},
    {"pthread_cond_signal", "pthread_cond_broadcast"},
    {"cnd_signal", "cnd_broadcast"},
}};

}  // namespace

std::optional<SourceToken> order_token(const SourceText& text, const OrderAt& at) {
  const std::vector<Piece> pieces = Reader(text).pieces(at.line, at.line + kMostLines);
  std::vector<Found> orders;
  if (at.column != 0) orders = orders_of_call(pieces, at.line, at.column);
  // The compiler may say the line of the whole statement alone.
  if (orders.empty()) {
    orders = orders_of_line(pieces, at.line);
    if (orders.size() != 1) return std::nullopt;
  }
  const Found& found = at.of_failed_exchange ? orders.back() : orders.front();
  if (found.second != at.order) return std::nullopt;
  return found.first;
}

std::string with_order(const std::string& token, MemoryOrder order) {
  const auto* name =
      std::find_if(kOrders.begin(), kOrders.end(), [&](const OrderName& n) { return n.order == order; });
  if (name == kOrders.end()) return token;
  if (token.starts_with(kCxx11)) return std::string(kCxx11) + std::string(name->lower);
  if (token.starts_with(kGnu)) return std::string(kGnu) + std::string(name->upper);
  return std::string(name->lower);
}

std::optional<SourceToken> notify_one_token(const SourceText& text, std::uint32_t line) {
  return only_word(text, line, [](const std::string& word) { return !notify_all_for(word).empty(); });
}

std::string notify_all_for(const std::string& token) {
  for (const auto& [one, all] : kNotifications) {
    if (token == one) return std::string(all);
  }
  return {};
}

std::optional<SourceToken> if_before_wait(const SourceText& text, std::uint32_t line) {
  if (line < 2) return std::nullopt;
  const std::vector<Piece> pieces = Reader(text).pieces(line - 1, line + 2);
  std::size_t first = 0;
  while (first < pieces.size() && pieces[first].token.text != "if") ++first;
  std::size_t i = first + 1;
  if (i >= pieces.size() || pieces[first].token.line > line || pieces[i].token.text != "(")
    return std::nullopt;
  int depth = 0;
  do {
    if (pieces[i].token.text == "(") ++depth;
    if (pieces[i].token.text == ")") --depth;
    ++i;
  } while (i < pieces.size() && depth != 0);
  const bool braces = i < pieces.size() && pieces[i].token.text == "{";
  if (braces) ++i;
  // One statement, at the line of the wait.
  if (i >= pieces.size() || pieces[i].token.line != line) return std::nullopt;
  while (i < pieces.size() && pieces[i].token.text != ";") ++i;
  if (i >= pieces.size() || pieces[i].token.line != line) return std::nullopt;
  ++i;
  if (braces && (i >= pieces.size() || pieces[i++].token.text != "}")) return std::nullopt;
  if (i < pieces.size() && pieces[i].token.text == "else") return std::nullopt;
  return pieces[first].token;
}

}  // namespace heddle::edit
