#include "tool/bench/build_kinds.h"

namespace heddle::bench {

std::vector<std::string> compile_command(const std::string& kind, const std::string& heddle,
                                         const std::string& compiler, bool cxx) {
  if (kind == "heddle") return {heddle, cxx ? "c++" : "cc", "--compiler=" + compiler};
  if (kind == "tsan") return {compiler, "-fsanitize=thread"};
  return {compiler};
}

std::string c_compiler_of(std::string compiler) {
  if (const std::size_t at = compiler.rfind("g++");
      at != std::string::npos && compiler.find("clang++") == std::string::npos)
    return compiler.replace(at, 3, "gcc");
  if (const std::size_t at = compiler.rfind("++"); at != std::string::npos) return compiler.erase(at, 2);
  return compiler;
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

}  // namespace heddle::bench
