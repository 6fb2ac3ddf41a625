// What heddle reads out of the tested program's file, which may be anything.
//
// The first byte: P a program, which is inspected and whose addresses are named; S the content of a section
// of ours in a file that is right otherwise.
#include <elf.h>

#include <cstring>

#include "core/record/elements.h"
#include "core/record/path_table.h"
#include "tests/fuzz/fuzz.h"
#include "tool/program/program_image.h"
#include "tool/record/access_log.h"
#include "tool/record/path_log.h"
#include "tool/symbols/symboliser.h"

namespace heddle {
namespace {

// A shared object with these sections and nothing else.
std::string object_with(const std::vector<std::pair<std::string, std::string_view>>& sections) {
  std::string names(1, '\0');
  std::string content;
  std::vector<Elf64_Shdr> headers(1);
  const auto add = [&](const std::string& name, std::string_view bytes, std::uint32_t type) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<std::uint32_t>(names.size());
    header.sh_type = type;
    header.sh_offset = sizeof(Elf64_Ehdr) + content.size();
    names += name + '\0';
    header.sh_size = type == SHT_STRTAB ? names.size() : bytes.size();
    header.sh_addralign = 1;
    content += type == SHT_STRTAB ? std::string_view(names) : bytes;
    headers.push_back(header);
  };
  for (const auto& [name, bytes] : sections) add(name, bytes, SHT_PROGBITS);
  add(".shstrtab", {}, SHT_STRTAB);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<std::uint16_t>(headers.size());
  header.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
  content.resize((content.size() + 7) / 8 * 8);
  header.e_shoff = sizeof header + content.size();
  std::string file(reinterpret_cast<const char*>(&header), sizeof header);
  file += content;
  file.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
  return file;
}

int read_sections(fuzz::MemoryFile& file, std::string_view bytes) {
  const std::string& path = file.hold(object_with({{record::kElementNameSection, bytes},
                                                   {record::kPathSection, bytes},
                                                   {record::kGraphSection, std::string_view("12345678")}}));
  const auto variables = read_elements(path, AccessScheme::kVariables);
  const auto blocks = read_elements(path, AccessScheme::kBlocks);
  const auto paths = PathTables::read(path, {});
  fuzz::require(static_cast<bool>(variables) == static_cast<bool>(blocks));
  return fuzz::judged(variables || paths, paths ? "" : paths.error().message);
}

int read_program(fuzz::MemoryFile& file, std::string_view bytes) {
  const std::string& path = file.hold(bytes);
  InspectOptions options;
  options.max_code_bytes = 1 << 14;
  const auto image = inspect_program(path, options);
  if (image) {
    static_cast<void>(refuse_reason(*image));
    static_cast<void>(warnings(*image));
  }
  Symboliser symboliser({{0x10000, 0x10000, 0x20000, path, {}}});
  for (std::uint64_t at = 0; at < 0x6000; at += 0x155) {
    fuzz::require(!symboliser.frames(0x10000 + at).empty());
    static_cast<void>(symboliser.data(0x10000 + at, 4));
    static_cast<void>(symboliser.local(0x10000 + at, {0x7000, 0x6f00}, 0x6ff0, 4));
    static_cast<void>(symboliser.thread_local_data(0x10000, at & 0xff, 4));
  }
  return fuzz::judged_result(image);
}

}  // namespace
}  // namespace heddle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  static fuzz::MemoryFile file;
  if (size == 0) return 0;
  const std::string_view bytes = fuzz::bytes_of(data + 1, size - 1);
  return data[0] == 'S' ? read_sections(file, bytes) : read_program(file, bytes);
}
