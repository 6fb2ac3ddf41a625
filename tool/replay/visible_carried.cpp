#include "tool/replay/visible_carried.h"

#include <set>

#include "tool/findings/carried_lines.h"
#include "tool/run/visible_named.h"
#include "tool/trace/stack_view.h"

namespace heddle::replay {
namespace {

// "queue.cpp:31", as the other build has it, or the name of a variable.
std::set<std::string> names_of(const Trace& original, LinesNow& line_now) {
  std::set<std::string> names;
  for (const VisiblePlace& place : original.spec.visible.all_places()) {
    const auto code = original.symbols.frames.find(place.end);
    if (code != original.symbols.frames.end()) {
      const Frame* frame = deciding_frame(code->second);
      if (frame != nullptr && frame->line != 0) {
        const LinesNow::Line line = line_now(*frame);
        names.insert(line.file + ":" + std::to_string(line.number));
      }
    }
    for (auto data = original.symbols.data.lower_bound(place.begin);
         data != original.symbols.data.end() && data->first < place.end; ++data) {
      if (!data->second.variable.empty()) names.insert(data->second.variable);
    }
  }
  return names;
}

}  // namespace

VisiblePlaces visible_carried(const run::Target& other_build, const Trace& original) {
  VisiblePlaces places;
  places.all = original.spec.visible.all;
  places.silence = original.spec.visible.silence;
  RunSpec spec = original.spec;
  spec.visible = {};
  spec.replay = ReplayKind::kNone;
  const auto run = run::run_single(other_build, spec, {});
  if (!run) return places;
  LinesNow line_now(original, run->trace);
  for (const std::string& name : names_of(original, line_now)) {
    const auto found = run::visible_places_named(other_build, spec, {name});
    if (!found) continue;
    for (const VisiblePlace& place : found->all_places()) places.add(place);
  }
  return places;
}

}  // namespace heddle::replay
