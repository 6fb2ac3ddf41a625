// What readers of profiles of shared elements (prog.spes) do with bytes from anywhere: the recorder's, and
// the tool's that adds to it. What the tool has written the recorder understands.
#include <sys/mman.h>

#include <fstream>

#include "runtime/record/element_profile.h"
#include "tests/fuzz/fuzz.h"
#include "tool/record/show_access_log.h"

namespace {

// It answers for as long as the process lives.
std::uint64_t read_and_forget(const std::string& path, bool& is_there) {
  const auto profile = heddle::record::read_profile(path.c_str());
  is_there = profile.ids != nullptr;
  for (std::uint64_t i = 1; i < profile.count; ++i)
    heddle::fuzz::require(profile.ids[i - 1] < profile.ids[i]);
  if (is_there) munmap(const_cast<std::uint64_t*>(profile.ids), profile.mapped);
  return profile.count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string path = fuzz::scratch_folder() + "/program.spes";
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  bool is_there = false;
  const std::uint64_t before = read_and_forget(path, is_there);
  const bool accepted = is_there;
  const SharedElement element{0x0123456789abcdef, ElementKind::kGlobal, "counter", "a.cpp:3"};
  fuzz::require(static_cast<bool>(add_to_profile(path, {&element, 1})));
  const std::uint64_t after = read_and_forget(path, is_there);
  fuzz::require(is_there && (!accepted || (after >= before && after <= before + 1)));
  return fuzz::judged(accepted && before != 0, "it is no profile");
}
