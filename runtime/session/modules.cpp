#include "runtime/session/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>

#include "core/base/raw_syscall.h"

namespace heddle::session {
namespace {

void copy_build_id(const ElfW(Phdr) & header, std::uint64_t base, Module& module) {
  const char* at = reinterpret_cast<const char*>(base + header.p_vaddr);
  const char* end = at + header.p_memsz;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
    const char* name = at + sizeof *note;
    const char* value = name + ((note->n_namesz + 3) & ~3u);
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
      const std::uint32_t size =
          note->n_descsz < sizeof module.build_id ? note->n_descsz : sizeof module.build_id;
      memcpy(module.build_id, value, size);
      module.build_id_size = static_cast<std::uint8_t>(size);
      return;
    }
    at = value + ((note->n_descsz + 3) & ~3u);
  }
}

std::uint32_t keep_path(const Channel& channel, const char* path) {
  ChannelHeader& h = *channel.header();
  char own[4096];
  if (path == nullptr || path[0] == '\0') {
    const long length = raw_syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    // Started by runtime/layout, the process is another file's. The tool knows the program's name.
    constexpr char kFixedLayout[] = "/heddle/fixed-layout";
    constexpr long kTail = sizeof kFixedLayout - 1;
    if (length >= kTail && memcmp(own + length - kTail, kFixedLayout, kTail) == 0) own[0] = '\0';
    path = own;
  }
  const std::size_t length = strlen(path) + 1;
  if (h.module_text_used + length > h.module_text.bytes) return 0;
  const std::uint32_t at = h.module_text_used;
  memcpy(channel.module_text() + at, path, length);
  h.module_text_used += static_cast<std::uint32_t>(length);
  return at;
}

int add_module(dl_phdr_info* info, std::size_t, void* argument) {
  const Channel& channel = *static_cast<Channel*>(argument);
  ChannelHeader& h = *channel.header();
  for (std::uint32_t i = 0; i < h.module_count; ++i) {
    if (h.modules[i].base == info->dlpi_addr && h.modules[i].begin != 0) {
      const char* known = channel.module_text() + h.modules[i].path;
      if (i == 0 || memcmp(known, info->dlpi_name, strlen(info->dlpi_name) + 1) == 0) return 0;
    }
  }
  if (h.module_count >= kMaxModules) return 0;
  Module m;
  m.base = info->dlpi_addr;
  m.begin = ~0ull;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    if (p.p_type == PT_LOAD) {
      const std::uint64_t begin = info->dlpi_addr + p.p_vaddr;
      if (begin < m.begin) m.begin = begin;
      if (begin + p.p_memsz > m.end) m.end = begin + p.p_memsz;
    } else if (p.p_type == PT_NOTE) {
      copy_build_id(p, info->dlpi_addr, m);
    }
  }
  m.path = keep_path(channel, info->dlpi_name);
  h.modules[h.module_count++] = m;
  return 0;
}

}  // namespace

void write_modules(Channel channel) { dl_iterate_phdr(add_module, &channel); }

}  // namespace heddle::session
