#include "runtime/engine/library_watch.h"

#include "core/base/name_template.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/own_code.h"

namespace heddle::engine {
namespace {

constexpr std::uint32_t kNameBytes = 64;
constexpr std::uint32_t kTemplateBytes = 512;

struct Watch {
  char templates[kTemplateBytes] = {};
  std::uint32_t template_count = 0;  // the first libraries are theirs
  bool all = false;
  std::uint32_t library_count = 0;
  LibrarySet matched = 0;
  char names[kMaxLibraries][kNameBytes] = {};
};
Watch watch;

// What the engine knows all about, or has no business to meddle with.
bool belongs_to_the_language(const char* file) {
  for (const char* prefix : {"libc.so",      "libm.so",      "libmvec.so",   "libpthread.so", "libdl.so",
                             "librt.so",     "libresolv.so", "libutil.so",   "libanl.so",     "libnss_",
                             "ld-linux",     "libgcc_s.so",  "libstdc++.so", "libc++.so",     "libc++abi.so",
                             "libunwind.so", "libatomic.so", "libgomp.so",   "libomp.so",     "libheddle"}) {
    if (has_prefix(file, prefix)) return true;
  }
  return false;
}

void keep_name(std::uint32_t library, const char* name) {
  std::uint32_t i = 0;
  for (; name[i] != '\0' && i + 1 < kNameBytes; ++i) watch.names[library][i] = name[i];
  watch.names[library][i] = '\0';
}

// A template with a slash is for the path, one without for the file's name and the name in the library.
bool matches(std::string_view pattern, const ElfModule& module) {
  if (pattern.find('/') != std::string_view::npos) return matches_template(pattern, module.path);
  return matches_template(pattern, module.file_name()) ||
         (module.own_name != nullptr && matches_template(pattern, module.own_name));
}

// The number of the first template that matches.
std::uint32_t matching_template(const ElfModule& module) {
  const char* at = watch.templates;
  for (std::uint32_t i = 0; i < watch.template_count; ++i) {
    std::uint32_t length = 0;
    while (at[length] != '\0' && at[length] != '\n') ++length;
    if (matches({at, length}, module)) return i;
    at += length + 1;
  }
  return kNoLibrary;
}

bool equal(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

}  // namespace

void watch_libraries(const char* templates, bool all) {
  watch.all = all;
  std::uint32_t i = 0;
  for (; templates[i] != '\0' && i + 1 < kTemplateBytes && watch.template_count < kMaxLibraries; ++i) {
    watch.templates[i] = templates[i];
    if (templates[i + 1] == '\0' || templates[i + 1] == '\n') ++watch.template_count;
  }
  watch.library_count = watch.template_count;
}

bool watches_libraries() { return watch.all || watch.template_count != 0; }

LibrarySet trusted_libraries() {
  return watch.template_count == kMaxLibraries ? ~LibrarySet{0} : (LibrarySet{1} << watch.template_count) - 1;
}

LibrarySet matched_templates() { return watch.matched; }
const char* library_name(std::uint32_t library) { return watch.names[library]; }

bool calls_foreign_libraries() {
  RuntimeScope scope;
  const auto is_foreign = [](dl_phdr_info* info, std::size_t, void*) -> int {
    const ElfModule module = describe_module(*info);
    const char* file = module.file_name();
    if (file[0] == '\0' || has_prefix(file, "linux-vdso") || is_own_code(module.range.begin) ||
        is_instrumented(module.code.begin)) {
      return 0;
    }
    // OpenMP's have their own threads.
    return has_prefix(file, "libgomp.so") || has_prefix(file, "libomp.so") || !belongs_to_the_language(file);
  };
  return dl_iterate_phdr(is_foreign, nullptr) != 0;
}

std::uint32_t library_number(const ElfModule& module) {
  const char* file = module.file_name();
  if (file[0] == '\0' || has_prefix(file, "linux-vdso") || is_own_code(module.range.begin)) return kNoLibrary;
  if (const std::uint32_t trusted = matching_template(module); trusted != kNoLibrary) {
    watch.matched |= LibrarySet{1} << trusted;
    keep_name(trusted, file);
    return trusted;
  }
  if (!watch.all || belongs_to_the_language(file)) return kNoLibrary;
  for (std::uint32_t i = watch.template_count; i < watch.library_count; ++i) {
    if (equal(watch.names[i], file)) return i;
  }
  if (watch.library_count == kMaxLibraries) return kNoLibrary;
  keep_name(watch.library_count, file);
  return watch.library_count++;
}

std::uint64_t watched_address(std::uint64_t address) {
  const std::uint32_t library = library_of_code(address);
  if (library == kNoLibrary || (trusted_libraries() >> library & 1) == 0) return address;
  const std::uint64_t thunk = thunk_for(address, library);
  finish_thunks();
  return thunk != 0 ? thunk : address;
}

}  // namespace heddle::engine
