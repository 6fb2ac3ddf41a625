#include "tool/program/program_search.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <system_error>

#include <elf.h>
#include <unistd.h>

namespace heddle {
namespace {

constexpr std::array kSystemFolders = std::to_array<std::string_view>(
    {"/lib/", "/lib32/", "/lib64/", "/libx32/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libx32/"});
constexpr std::array kToolchainLibraries = std::to_array<std::string_view>(
    {"ld-linux",    "libasan.",  "libatomic.", "libc++.",    "libc++abi.", "libc.",     "libclang_rt.",
     "libdl.",      "libgcc_s.", "libgomp.",   "libheddle.", "liblsan.",   "libm.",     "libomp.",
     "libpthread.", "librt.",    "libstdc++.", "libtsan.",   "libubsan.",  "libunwind."});

namespace fs = std::filesystem;

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

void add_folders(std::string_view list, const std::string& origin, std::vector<std::string>& out) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(":;"), list.size());
    std::string folder(list.substr(0, end));
    replace_all(folder, "${ORIGIN}", origin);
    replace_all(folder, "$ORIGIN", origin);
    if (!folder.empty()) out.push_back(std::move(folder));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

bool is_system_folder(const std::string& path) {
  return std::any_of(kSystemFolders.begin(), kSystemFolders.end(),
                     [&](std::string_view folder) { return path.starts_with(folder); });
}

}  // namespace

std::vector<std::string> library_folders(const std::string& path, const DynamicInfo& dynamic) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  const std::string origin = error ? "." : canonical.parent_path().string();
  std::vector<std::string> folders;
  if (dynamic.runpath.empty()) add_folders(dynamic.rpath, origin, folders);
  if (const char* variable = std::getenv("LD_LIBRARY_PATH")) add_folders(variable, origin, folders);
  add_folders(dynamic.runpath, origin, folders);
  folders.emplace_back("/usr/local/lib");  // by the loader's cache, yet not the system's own
  return folders;
}

std::string find_own_library(const std::string& name, const std::vector<std::string>& folders) {
  const auto own = [](const std::string& candidate) {
    std::error_code error;
    if (!fs::is_regular_file(candidate, error)) return std::string();
    const std::string real = fs::canonical(candidate, error).string();
    return error || is_system_folder(real) ? std::string() : real;
  };
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return own(name);
  for (const std::string& folder : folders) {
    std::string candidate = folder;
    candidate.append("/").append(name);
    if (access(candidate.c_str(), R_OK) == 0) return own(candidate);
  }
  return {};
}

bool is_toolchain_library(std::string_view soname) {
  return std::any_of(kToolchainLibraries.begin(), kToolchainLibraries.end(),
                     [&](std::string_view name) { return soname.starts_with(name); });
}

std::vector<std::string> own_libraries(const std::string& program) {
  constexpr std::size_t kMost = 256;
  struct Pending {
    std::string name;
    std::vector<std::string> folders;
  };
  std::deque<Pending> queue;  // references to its elements stay valid while it grows
  const auto enqueue = [&](const std::string& from, const DynamicInfo& info) {
    const auto folders = library_folders(from, info);
    for (const std::string& name : info.needed) queue.push_back({name, folders});
  };
  if (const auto file = ElfFile::open(program)) enqueue(program, file->dynamic());
  std::vector<std::string> libraries;
  for (std::size_t i = 0; i < queue.size() && libraries.size() < kMost; ++i) {
    if (is_toolchain_library(queue[i].name)) continue;
    const std::string found = find_own_library(queue[i].name, queue[i].folders);
    if (found.empty() || std::find(libraries.begin(), libraries.end(), found) != libraries.end()) continue;
    const auto file = ElfFile::open(found);
    if (!file || !file->is_64_bit() || file->machine() != EM_X86_64) continue;
    const DynamicInfo info = file->dynamic();
    if (is_toolchain_library(info.soname)) continue;
    libraries.push_back(found);
    enqueue(found, info);
  }
  return libraries;
}

std::vector<RuntimeNeed> runtime_needs(const std::string& program) {
  std::vector<RuntimeNeed> needs;
  std::vector<std::string> files = own_libraries(program);
  files.insert(files.begin(), program);
  for (const std::string& path : files) {
    const auto file = ElfFile::open(path);
    if (!file) continue;
    const DynamicInfo info = file->dynamic();
    for (const std::string& soname : info.needed) {
      const bool is_known =
          std::any_of(needs.begin(), needs.end(), [&](const auto& need) { return need.soname == soname; });
      if (!soname.starts_with("libheddle.so") || is_known) continue;
      RuntimeNeed need{soname, {}};
      for (const std::string& folder : library_folders(path, info)) {
        std::error_code error;
        const fs::path found = fs::canonical(fs::path(folder) / soname, error);
        if (error || access(found.c_str(), R_OK) != 0) continue;
        need.file = found.string();
        break;
      }
      needs.push_back(std::move(need));
    }
  }
  return needs;
}

std::string native_library_path(const std::string& program, const std::string& folder) {
  const auto needs = runtime_needs(program);
  if (std::none_of(needs.begin(), needs.end(), [](const auto& need) { return need.file.empty(); })) return {};
  const char* now = std::getenv("LD_LIBRARY_PATH");
  return now == nullptr || *now == '\0' ? folder : now + (":" + folder);
}

}  // namespace heddle
