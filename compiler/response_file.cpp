#include "compiler/response_file.h"

#include <cctype>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>

namespace heddle::compiler {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxWords = 4u << 20;

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return std::nullopt;
  return text;
}

void expand_into(const std::vector<std::string>& args, int depth, std::vector<std::string>& out) {
  for (const std::string& arg : args) {
    if (out.size() >= kMaxWords) return;
    if (arg.size() > 1 && arg[0] == '@' && depth < kMaxDepth) {
      if (auto text = read_text(arg.substr(1))) {
        expand_into(split_words(*text), depth + 1, out);
        continue;
      }
    }
    out.push_back(arg);
  }
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> expand_response_files(const std::vector<std::string>& args) {
  std::vector<std::string> out;
  expand_into(args, 0, out);
  return out;
}

}  // namespace heddle::compiler
