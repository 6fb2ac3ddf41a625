#include "tool/trace/stack_view.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle {
namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_runtime(const Frame& frame) {
  // What <heddle/heddle.h> has inline is in the program's own module.
  const std::string_view file = frame.file;
  if (file.ends_with("/heddle/heddle.h") || file.ends_with("/heddle/lin.hpp")) return true;
  const std::string_view name = base_name(frame.module);
  return name.starts_with("libheddle") || name.starts_with("libtsan.so") ||
         name.starts_with("libclang_rt.tsan");
}

bool is_system_path(std::string_view path) {
  constexpr std::array<std::string_view, 6> kRoots = {"/usr/include/", "/usr/lib/",     "/usr/lib64/",
                                                      "/lib/",         "/usr/libexec/", "/lib64/"};
  for (const std::string_view root : kRoots) {
    if (path.starts_with(root)) return true;
  }
  return path.find("/include/c++/") != std::string_view::npos ||
         path.find("/lib/gcc/") != std::string_view::npos ||
         path.find("/googletest/") != std::string_view::npos ||
         path.find("/sysdeps/") != std::string_view::npos;
}

// "void std::__invoke<f>(…)" and the like, for code that has no line information: the name without its return
// type.
bool is_library_function(std::string_view function) {
  std::size_t name = 0;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth != 0) continue;
    if (c == '(') break;
    if (c == ' ') name = i + 1;
  }
  function.remove_prefix(name);
  // GoogleTest is linked into the program, mostly without lines.
  return function.starts_with("std::") || function.starts_with("__gnu_cxx::") ||
         function.starts_with("__cxxabiv1::") || function.starts_with("testing::");
}

}  // namespace

std::vector<Frame> frames_of(const Trace& trace, std::uint64_t pc, StackId stack) {
  std::vector<Frame> frames;
  for (const std::uint64_t address : trace.pcs_of(pc, stack)) {
    const auto known = trace.symbols.frames.find(address);
    if (known != trace.symbols.frames.end() && !known->second.empty()) {
      frames.insert(frames.end(), known->second.begin(), known->second.end());
      continue;
    }
    Frame frame;
    if (const TraceModule* module = trace.module_at(address - 1)) {
      frame.module = module->path;
      frame.offset = address - module->base;
    } else {
      frame.offset = address;
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

std::vector<Frame> visible_frames(const Trace& trace, std::uint64_t pc, StackId stack) {
  std::vector<Frame> frames = frames_of(trace, pc, stack);
  if (std::all_of(frames.begin(), frames.end(), is_runtime)) return frames;
  std::erase_if(frames, is_runtime);
  // What lies outside the user's outermost function is how the libraries come to call it.
  std::size_t kept = frames.size();
  while (kept > 0 && !is_own_code(frames[kept - 1])) --kept;
  if (kept == 0) kept = frames.size();
  frames.resize(kept);
  return frames;
}

bool is_own_code(const Frame& frame) {
  if (frame.module.empty() || is_runtime(frame) || is_system_path(frame.module)) return false;
  return frame.file.empty() ? !is_library_function(frame.function) : !is_system_path(frame.file);
}

const Frame* deciding_frame(const std::vector<Frame>& frames) {
  const auto own = std::find_if(frames.begin(), frames.end(), is_own_code);
  if (own != frames.end()) return &*own;
  const auto other = std::find_if_not(frames.begin(), frames.end(), is_runtime);
  return other != frames.end() ? &*other : nullptr;
}

Parting parting_of(const std::vector<Frame>& first, const std::vector<Frame>& second) {
  for (std::size_t depth = 1; depth <= std::min(first.size(), second.size()); ++depth) {
    const Frame& a = first[first.size() - depth];
    const Frame& b = second[second.size() - depth];
    if (a.function != b.function || a.file != b.file) return {};
    if (a.line == b.line) continue;
    return is_own_code(a) ? Parting{&a, &b} : Parting{};
  }
  return {};
}

std::string thread_function(const Trace& trace, ThreadId thread) {
  // Not its first event alone, which may come from before its function.
  int looked_at = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.thread != thread || event.pc == 0) continue;
    const std::vector<Frame> frames = visible_frames(trace, event.pc, event.stack);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (!frame->function.empty() && is_own_code(*frame)) return frame->function;
    }
    if (++looked_at == 16) break;
  }
  return {};
}

}  // namespace heddle
