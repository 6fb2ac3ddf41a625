#include "tool/artifact/stack_view.h"

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
         path.find("/lib/gcc/") != std::string_view::npos || path.find("/sysdeps/") != std::string_view::npos;
}

// How the libraries come to call main or a thread's function: libstdc++'s and libc++'s std::thread and
// std::async, and libc. std::__invoke and a bound function's operator() count only as part of such a tail.
bool is_start_machinery(const Frame& frame) {
  if (is_runtime(frame)) return true;
  const std::string_view f = frame.function;
  for (const std::string_view name :
       {"_start", "__libc_start_main", "__libc_start_call_main", "__libc_start_main_impl", "start_thread",
        "clone", "clone3", "__clone", "__clone3", "execute_native_thread_routine"}) {
    if (f == name) return true;
  }
  // No start of a stack is deeper than this in the library, so that a user's own std::function is not cut
  // off.
  for (const std::string_view prefix :
       {"std::__invoke", "std::thread::", "void std::__invoke", "std::__1::__thread_"}) {
    if (f.starts_with(prefix)) return true;
  }
  return f.find("std::thread::_Invoker<") != std::string_view::npos ||
         f.find("std::thread::_State_impl<") != std::string_view::npos ||
         (f.find(" std::__invoke") != std::string_view::npos && is_system_path(frame.file));
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
  const auto first = std::find_if_not(frames.begin(), frames.end(), is_runtime);
  if (first == frames.end()) return frames;
  frames.erase(frames.begin(), first);
  std::size_t kept = frames.size();
  while (kept > 1 && is_start_machinery(frames[kept - 1])) --kept;
  frames.resize(kept);
  return frames;
}

bool is_own_code(const Frame& frame) {
  if (is_runtime(frame)) return false;
  if (!frame.file.empty()) return !is_system_path(frame.file);
  return !frame.module.empty() && !is_system_path(frame.module);
}

const Frame* deciding_frame(const std::vector<Frame>& frames) {
  const auto own = std::find_if(frames.begin(), frames.end(), is_own_code);
  if (own != frames.end()) return &*own;
  return frames.empty() ? nullptr : &frames.front();
}

std::string thread_function(const Trace& trace, ThreadId thread) {
  // The deepest stack among the thread's first events: its first event may come from before its function.
  std::string best;
  int looked_at = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.thread != thread || event.pc == 0) continue;
    const std::vector<Frame> frames = visible_frames(trace, event.pc, event.stack);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (!frame->function.empty() && is_own_code(*frame)) return frame->function;
    }
    if (++looked_at == 16) break;
  }
  return best;
}

}  // namespace heddle
