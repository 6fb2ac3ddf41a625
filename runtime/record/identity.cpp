#include "runtime/record/identity.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/random.h"
#include "core/base/raw_syscall.h"
#include "core/base/text_buffer.h"
#include "core/record/build_version.h"
#include "core/record/path_table.h"

namespace heddle::record {
namespace {

// A file in memory, read-only.
struct MappedFile {
  const unsigned char* bytes = nullptr;
  std::uint64_t size = 0;

  explicit MappedFile(const char* path) {
    const long file = raw_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about{};
    if (raw_syscall(SYS_newfstatat, file, "", &about, AT_EMPTY_PATH) == 0 && about.st_size > 0) {
      const long at = raw_syscall(SYS_mmap, 0, about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
      if (at > 0 || at < -4095) {
        bytes = reinterpret_cast<const unsigned char*>(at);
        size = static_cast<std::uint64_t>(about.st_size);
      }
    }
    raw_syscall(SYS_close, file);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (bytes != nullptr) raw_syscall(SYS_munmap, bytes, size);
  }
  template <typename T>
  const T* at(std::uint64_t offset, std::uint64_t count = 1) const {
    if (offset > size || count > (size - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes + offset);
  }
};

// The words of a section, of which there may be none.
struct SectionWords {
  const std::uint64_t* words = nullptr;
  std::uint64_t count = 0;
};

template <std::size_t kNameBytes>
SectionWords section_words(const MappedFile& file, const char (&wanted)[kNameBytes]) {
  const auto* head = file.at<ElfW(Ehdr)>(0);
  if (head == nullptr || head->e_shstrndx >= head->e_shnum) return {};
  const auto* sections = file.at<ElfW(Shdr)>(head->e_shoff, head->e_shnum);
  if (sections == nullptr) return {};
  const ElfW(Shdr)& names = sections[head->e_shstrndx];
  for (unsigned i = 0; i < head->e_shnum; ++i) {
    const char* name = file.at<char>(names.sh_offset + sections[i].sh_name, kNameBytes);
    if (name == nullptr || memcmp(name, wanted, kNameBytes) != 0) continue;
    const std::uint64_t count = sections[i].sh_size / sizeof(std::uint64_t);
    const auto* words = file.at<std::uint64_t>(sections[i].sh_offset, count);
    return {words, words != nullptr ? count : 0};
  }
  return {};
}

std::uint64_t graph_of(const MappedFile& file) {
  const SectionWords graph = section_words(file, kGraphSection);
  std::uint64_t sum = 0;
  for (std::uint64_t n = 0; n < graph.count; ++n) sum += mix(graph.words[n], 1);
  return sum;
}

bool is_of_this_build(const MappedFile& file) {
  const SectionWords build = section_words(file, kBuildSection);
  if (build.count != section_words(file, kGraphSection).count) return false;
  for (std::uint64_t n = 0; n < build.count; ++n) {
    if (build.words[n] != kBuildVersion) return false;
  }
  return true;
}

struct Module {
  std::uint64_t base = 0, begin = 0, end = 0;
  bool is_full = false;  // built with --full
  char name[64] = {};
};

constexpr unsigned kMostModules = 64;

// All that this file keeps: the modules that were loaded at the start.
struct Modules {
  Module known[kMostModules];
  unsigned count = 0;
  std::uint64_t build = 0;
  char paths[kLogPage - sizeof(ChunkHeader)] = {};
  std::uint32_t path_bytes = 0;
  char foreign[512] = {};  // the first that another version of heddle compiled
};
Modules modules;

const char* last_part(const char* path) {
  const char* name = path;
  for (const char* at = path; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  return name;
}

const Module* find_module(std::uint64_t address) {
  for (unsigned i = 0; i < modules.count; ++i) {
    const Module& module = modules.known[i];
    if (address >= module.begin && address < module.end) return &module;
  }
  return nullptr;
}

int add_module(dl_phdr_info* info, std::size_t, void*) {
  OwnPath self;
  const char* path = info->dlpi_name;
  if (path == nullptr || *path == '\0') {
    if (modules.count != 0) return 0;  // the kernel's own
    find_own_path(self);
    if (self[0] == '\0') return 0;
    path = self;
  }
  const MappedFile file(path);
  const std::uint64_t graph = graph_of(file);
  if (!is_of_this_build(file) && modules.foreign[0] == '\0') {
    for (unsigned i = 0; path[i] != '\0' && i + 1 < sizeof modules.foreign; ++i) modules.foreign[i] = path[i];
  }
  modules.build += graph;
  const auto length = static_cast<std::uint32_t>(strlen(path) + 1);
  if (graph != 0 && modules.path_bytes + length <= sizeof modules.paths) {
    memcpy(modules.paths + modules.path_bytes, path, length);
    modules.path_bytes += length;
  }
  if (modules.count == kMostModules) return 0;
  Module& module = modules.known[modules.count++];
  module.base = info->dlpi_addr;
  module.is_full = graph != 0;
  module.begin = ~0ull;
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t at = info->dlpi_addr + segment.p_vaddr;
    if (at < module.begin) module.begin = at;
    if (at + segment.p_memsz > module.end) module.end = at + segment.p_memsz;
  }
  const char* name = last_part(path);
  for (unsigned i = 0; name[i] != '\0' && i + 1 < sizeof module.name; ++i) module.name[i] = name[i];
  return 0;
}

}  // namespace

void find_own_path(OwnPath& path) {
  memset(path, 0, sizeof path);
  if (raw_syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1) > 0) return;
  // Without /proc: by which path the kernel was asked to execute it.
  const auto* asked = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (asked == nullptr) return;
  TextBuffer<sizeof(OwnPath)> whole;
  if (asked[0] != '/' && raw_syscall(SYS_getcwd, path, sizeof path) > 0) whole << path << '/';
  whole << asked;
  memcpy(path, whole.c_str(), whole.size() + 1);
}

const char* module_of_another_build() {
  if (modules.count == 0) dl_iterate_phdr(add_module, nullptr);
  return modules.foreign[0] != '\0' ? modules.foreign : nullptr;
}

std::uint64_t build_identity(LogFile& file) {
  if (modules.count == 0) dl_iterate_phdr(add_module, nullptr);
  if (modules.path_bytes != 0) {
    if (ChunkHeader* chunk = file.new_chunk(0, ChunkKind::kModules, 0, kLogPage)) {
      memcpy(chunk + 1, modules.paths, modules.path_bytes);
      LogFile::seal(chunk, modules.path_bytes);
    }
  }
  return modules.build;
}

const char* module_of(std::uint64_t address, std::uint64_t& offset) {
  const Module* module = find_module(address);
  if (module == nullptr) return nullptr;
  offset = address - module->base;
  return module->name;
}

bool is_in_full_module(std::uint64_t address) {
  const Module* module = find_module(address);
  return module != nullptr && module->is_full;
}

}  // namespace heddle::record
