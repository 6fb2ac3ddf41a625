// age_artifact IN OUT [drop]: the artifact as another version of the engine would have made it. The choices
// are the same, but each has other alternatives beside it; with `drop`, none is left.
#include <cstdio>
#include <string_view>

#include "tool/artifact/artifact.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  auto trace = heddle::read_artifact(argv[1]);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 1;
  }
  trace->tool_version = "0.0.7";
  for (heddle::TraceModule& module : trace->modules) {
    if (module.path.find("libheddle.so") != std::string::npos) module.build_id = "0123456789abcdef";
  }
  for (heddle::Choice& choice : trace->choices)
    choice = heddle::Choice::make(choice.kind(), choice.alternatives_hash() ^ 1, choice.picked());
  if (argc > 3 && std::string_view(argv[3]) == "drop") trace->choices.clear();
  return heddle::write_artifact(argv[2], *trace) ? 0 : 1;
}
