// The kept source lines of an older program beside the sources of a newer one, which are read from disk: the newer
// program's debug information says where they are.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tool/findings/moved_lines.h"
#include "tool/trace/trace.h"

namespace heddle {

// Without folders.
std::string file_name(const std::string& path);

class CarriedLines {
 public:
  explicit CarriedLines(const Symbols& before) : before_(before.sources) {}

  // `before`: a file as the older program names it; `now`: as the newer one does.
  const MovedLines& between(const std::string& before, const std::string& now);
  // Empty where it was not kept.
  std::string text_before(const std::string& file, std::uint32_t line) const;
  // Empty where the file cannot be read.
  const std::vector<std::string>& text_now(const std::string& path);

 private:
  std::map<std::string, MovedLines::Kept> before_;
  std::map<std::string, std::vector<std::string>> now_;
  std::map<std::pair<std::string, std::string>, MovedLines> moved_;
};

// Lines of an older program's execution as a newer program has them.
class LinesNow {
 public:
  // `now`: an execution of the newer program.
  LinesNow(const Trace& before, const Trace& now);

  struct Line {
    std::string file;  // without folders
    std::uint32_t number = 0;
  };
  // Where the newer program has no such file: the line as it was.
  Line operator()(const Frame& frame);

 private:
  // The file of this name, or else the one that has most of its lines; empty: none.
  const std::string& file_now(const std::string& before);

  CarriedLines lines_;
  std::set<std::string> files_;               // of the newer program
  std::map<std::string, std::string> found_;  // those of the older one there
};

// The line on which the statement begins that this line is a part of: compilers name any of its lines.
std::uint32_t statement_of(const std::vector<std::string>& text, std::uint32_t line);

}  // namespace heddle
