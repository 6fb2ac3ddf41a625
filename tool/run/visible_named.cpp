#include "tool/run/visible_named.h"

#include <charconv>
#include <optional>

#include "tool/symbols/symboliser.h"

namespace heddle::run {
namespace {

struct Line {
  std::string file;
  std::uint32_t number = 0;
};

// Of "queue.cpp:31"; none: it is the name of a variable.
std::optional<Line> line_named(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos || colon == 0 || name[colon - 1] == ':') return std::nullopt;
  Line line{name.substr(0, colon), 0};
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + colon + 1, end, line.number);
  if (error != std::errc() || at != end || line.number == 0) return std::nullopt;
  return line;
}

}  // namespace

Result<VisiblePlaces> visible_places_named(const Target& target, const RunSpec& spec,
                                           const std::vector<std::string>& names) {
  VisiblePlaces places;
  std::optional<Symboliser> symboliser;
  for (const std::string& name : names) {
    if (name == "all") {
      places.all = 1;
      continue;
    }
    if (!symboliser) {
      SingleOptions single;
      single.symbolise = false;
      auto run = run_single(target, spec, single);
      if (!run) return run.error();
      symboliser.emplace(run->trace.modules);
    }
    const std::optional<Line> line = line_named(name);
    const std::vector<AddressSpan> spans =
        line ? symboliser->code_of_line(line->file, line->number) : symboliser->variables_named(name);
    if (spans.empty()) {
      return Error{
          "--visible " + name + ": the program has " +
          (line
               ? "no code of this line. Is it compiled with -g, and is the line one with code?"
               : "no global variable of this name. Write FILE:LINE, the name of a global variable, or all.")};
    }
    for (const AddressSpan& span : spans) {
      if (!places.add({span.begin, span.end}))
        return Error{"--visible names too many places (" + std::to_string(VisiblePlaces::kMost) +
                     " at most). `--visible all` makes every plain access a choice."};
    }
  }
  return places;
}

}  // namespace heddle::run
