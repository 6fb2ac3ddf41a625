#include "tool/run/stuck.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "tool/run/system_call_name.h"

namespace heddle::run {
namespace {

std::string module_of(const ChannelHeader& header, std::uint64_t pc) {
  const char* paths = reinterpret_cast<const char*>(&header) + header.module_text.offset;
  for (std::uint32_t i = 0; i < std::min(header.module_count, kMaxModules); ++i) {
    const Module& m = header.modules[i];
    if (pc < m.begin || pc >= m.end || m.path >= header.module_text.bytes) continue;
    const std::string path(paths + m.path, strnlen(paths + m.path, header.module_text.bytes - m.path));
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(pc - m.base));
    return path.substr(path.rfind('/') + 1) + offset;
  }
  return "";
}

}  // namespace

std::string describe_stuck(const ChannelHeader& header) {
  const StuckPlace& stuck = header.stuck;
  if (stuck.known == 0 && stuck.system_call < 0) return "";
  std::string text = "Execution " + std::to_string(stuck.index) + " ran out of time (--timeout).";
  if (stuck.progressed != 0)
    return text + " It was still making progress: give it more, or bound its steps (--max-steps).";
  const std::string thread =
      stuck.thread == 0 ? "The main thread" : "Thread T" + std::to_string(stuck.thread);
  const std::string place(stuck.place, strnlen(stuck.place, sizeof stuck.place));
  text += " " + thread;
  if (stuck.system_call >= 0) {
    text += " was blocked in the system call " + system_call_name(stuck.system_call) + " (first argument " +
            std::to_string(stuck.argument) + ")";
  } else {
    text += " was running";
  }
  if (!place.empty()) text += " in " + place;
  const std::string last = module_of(header, stuck.last_pc);
  if (!last.empty()) text += ", after " + last + " in instrumented code";
  text +=
      ". Nothing there tells heddle to let another thread run: if it waits for one, build that code with "
      "heddle, too, or let it wait by pthread or system calls of its own (docs/guide/outside-world.md).";
  return text;
}

}  // namespace heddle::run
