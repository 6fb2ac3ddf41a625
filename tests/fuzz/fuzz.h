// What the fuzzers share: the verdict on an input, and files that lie in memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

// Every allocation and every free is noted with its stack, for the report of a crash. Deep stacks cost up to
// a third of the time; ASAN_OPTIONS=malloc_context_size=30 has them for an input that failed.
extern "C" __attribute__((used, visibility("default"))) const char* __asan_default_options() {
  return "malloc_context_size=2";
}

namespace heddle::fuzz {

inline std::string_view bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// What LLVMFuzzerTestOneInput answers. The inputs of valid/ have to be accepted by the reader, or the fuzzer
// would try nothing but its first check: the control is a run with HEDDLE_FUZZ_CONTROL set.
inline int judged(bool accepted, const std::string& why = {}) {
  static const bool is_control = std::getenv("HEDDLE_FUZZ_CONTROL") != nullptr;
  if (is_control && !accepted) {
    std::fprintf(stderr, "A valid input was refused: %s\n", why.c_str());
    std::abort();
  }
  return 0;
}

// Whoever refuses has to say why.
template <typename Result>
int judged_result(const Result& result) {
  if (!result && result.error().message.empty()) std::abort();
  return judged(static_cast<bool>(result), result ? std::string() : result.error().message);
}

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Is this one of the inputs, one in `most`, with which something expensive is done? The input decides alone,
// so that one that failed fails again.
inline bool is_one_in(std::size_t most, const std::uint8_t* data, std::size_t size) {
  return std::hash<std::string_view>()(bytes_of(data, size)) % most == 0;
}

// A file for readers that take a path; the same for all inputs.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("input", 0)), path_("/proc/self/fd/" + std::to_string(file_)) {
    require(file_ >= 0);
  }
  // (Its pages are kept from one input to the next: it is written first and cut afterwards.)
  const std::string& hold(std::string_view bytes) {
    require(pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    require(ftruncate(file_, static_cast<off_t>(bytes.size())) == 0);
    return path_;
  }

 private:
  int file_;
  std::string path_;
};

// A folder in memory where there is one, for readers of folders.
inline const std::string& scratch_folder() {
  static const std::string folder = [] {
    std::string name =
        access("/dev/shm", W_OK) == 0 ? "/dev/shm/heddle-fuzz-XXXXXX" : "/tmp/heddle-fuzz-XXXXXX";
    require(mkdtemp(name.data()) != nullptr);
    static std::string kept = name;
    std::atexit([] { static_cast<void>(std::system(("rm -rf " + kept).c_str())); });
    return name;
  }();
  return folder;
}

}  // namespace heddle::fuzz
