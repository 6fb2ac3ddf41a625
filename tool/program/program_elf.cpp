#include "tool/program/program_elf.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

namespace heddle {
namespace {

constexpr std::size_t kMaxBuildId = 64;
constexpr char kDigits[] = "0123456789abcdef";

// Bounds on what a file may claim; a real program stays far below them.
constexpr std::size_t kMaxSegments = 4096;
constexpr std::size_t kMaxDynamicEntries = 65536;
constexpr std::size_t kMaxSymbols = 16u << 20;

template <typename Visit>
void for_each_segment(Elf* elf, Visit visit) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return;
  for (std::size_t i = 0; i < std::min(count, kMaxSegments); ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr) visit(header);
  }
}

template <typename Visit>
void for_each_section(Elf* elf, Visit visit) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr) visit(section, header);
  }
}

std::string_view section_name(Elf* elf, const GElf_Shdr& header) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  const char* name = elf_strptr(elf, names, header.sh_name);
  return name != nullptr ? name : "";
}

// The content of a section as it lies in the file, or null.
Elf_Data* section_data(Elf_Scn* section, const GElf_Shdr& header) {
  if (header.sh_type == SHT_NOBITS || header.sh_size == 0) return nullptr;
  Elf_Data* data = elf_getdata(section, nullptr);
  return data != nullptr && data->d_buf != nullptr && data->d_size != 0 ? data : nullptr;
}

// A string of a table that may lack its final NUL.
std::string table_string(const Elf_Data* table, std::uint64_t offset) {
  if (table == nullptr || table->d_buf == nullptr || offset >= table->d_size) return {};
  const char* start = static_cast<const char*>(table->d_buf) + offset;
  return {start, strnlen(start, table->d_size - offset)};
}

}  // namespace

Result<ElfFile> ElfFile::open(const std::string& path) {
  elf_version(EV_CURRENT);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{"cannot read " + path + ": " + std::strerror(errno) + "."};
  // Not mapped: a file that another process truncates meanwhile must not become a SIGBUS.
  Elf* elf = elf_begin(fd, ELF_C_READ, nullptr);
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF) {
    elf_end(elf);
    close(fd);
    return Error{path + " is not a program: it is no ELF file."};
  }
  return ElfFile(fd, elf);
}

ElfFile::ElfFile(ElfFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), elf_(std::exchange(other.elf_, nullptr)) {}

ElfFile& ElfFile::operator=(ElfFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(elf_, other.elf_);
  return *this;
}

ElfFile::~ElfFile() {
  if (elf_ != nullptr) elf_end(elf_);
  if (fd_ >= 0) close(fd_);
}

bool ElfFile::is_64_bit() const { return gelf_getclass(elf_) == ELFCLASS64; }

std::uint16_t ElfFile::machine() const {
  GElf_Ehdr header;
  return gelf_getehdr(elf_, &header) != nullptr ? header.e_machine : std::uint16_t{EM_NONE};
}

std::uint16_t ElfFile::type() const {
  GElf_Ehdr header;
  return gelf_getehdr(elf_, &header) != nullptr ? header.e_type : std::uint16_t{ET_NONE};
}

bool ElfFile::has_interpreter() const {
  bool found = false;
  for_each_segment(elf_, [&](const GElf_Phdr& header) { found = found || header.p_type == PT_INTERP; });
  return found;
}

std::optional<std::uint64_t> ElfFile::file_offset(std::uint64_t address) const {
  std::optional<std::uint64_t> offset;
  for_each_segment(elf_, [&](const GElf_Phdr& header) {
    if (header.p_type != PT_LOAD || address < header.p_vaddr) return;
    const std::uint64_t inside = address - header.p_vaddr;
    if (inside < header.p_filesz) offset = header.p_offset + inside;
  });
  return offset;
}

DynamicInfo ElfFile::dynamic() const {
  // By the segment, as the loader does it; sections can be stripped.
  Elf_Data* entries = nullptr;
  for_each_segment(elf_, [&](const GElf_Phdr& header) {
    if (header.p_type != PT_DYNAMIC || header.p_filesz == 0) return;
    entries =
        elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(header.p_offset), header.p_filesz, ELF_T_DYN);
  });
  DynamicInfo info;
  if (entries == nullptr) return info;
  std::uint64_t strings_address = 0, strings_size = 0;
  std::vector<std::uint64_t> needed;
  std::optional<std::uint64_t> soname, rpath, runpath;
  for (std::size_t i = 0; i < kMaxDynamicEntries; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(entries, static_cast<int>(i), &entry) == nullptr || entry.d_tag == DT_NULL) break;
    const std::uint64_t value = entry.d_un.d_val;
    if (entry.d_tag == DT_NEEDED) needed.push_back(value);
    if (entry.d_tag == DT_SONAME) soname = value;
    if (entry.d_tag == DT_RPATH) rpath = value;
    if (entry.d_tag == DT_RUNPATH) runpath = value;
    if (entry.d_tag == DT_STRTAB) strings_address = value;
    if (entry.d_tag == DT_STRSZ) strings_size = value;
    if (entry.d_tag == DT_FLAGS_1) info.says_pie = (value & DF_1_PIE) != 0;
  }
  const auto offset = file_offset(strings_address);
  if (!offset || strings_size == 0) return info;
  const Elf_Data* strings =
      elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(*offset), strings_size, ELF_T_BYTE);
  for (std::uint64_t name : needed) info.needed.push_back(table_string(strings, name));
  if (soname) info.soname = table_string(strings, *soname);
  if (rpath) info.rpath = table_string(strings, *rpath);
  if (runpath) info.runpath = table_string(strings, *runpath);
  return info;
}

void ElfFile::read_symbols(std::uint32_t section_type, std::vector<ElfSymbol>& out) const {
  for_each_section(elf_, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != section_type) return;
    Elf_Data* data = section_data(section, header);
    if (data == nullptr) return;
    GElf_Sym symbol;
    for (int i = 0; out.size() < kMaxSymbols && gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      const char* name = elf_strptr(elf_, header.sh_link, symbol.st_name);
      if (name == nullptr || *name == '\0') continue;
      const unsigned char type = GELF_ST_TYPE(symbol.st_info);
      out.push_back({name, symbol.st_value, symbol.st_size, symbol.st_shndx != SHN_UNDEF,
                     type == STT_FUNC || type == STT_GNU_IFUNC, type == STT_FILE});
    }
  });
}

std::vector<ElfSymbol> ElfFile::symbols() const {
  std::vector<ElfSymbol> all;
  read_symbols(SHT_SYMTAB, all);
  read_symbols(SHT_DYNSYM, all);
  return all;
}

std::map<std::uint64_t, std::string> ElfFile::got_slots() const {
  std::map<std::uint64_t, std::string> slots;
  for_each_section(elf_, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_RELA) return;
    Elf_Scn* symbol_section = elf_getscn(elf_, header.sh_link);
    GElf_Shdr symbol_header;
    if (symbol_section == nullptr || gelf_getshdr(symbol_section, &symbol_header) == nullptr) return;
    if (symbol_header.sh_type != SHT_DYNSYM) return;
    Elf_Data* data = section_data(section, header);
    Elf_Data* symbols = section_data(symbol_section, symbol_header);
    if (data == nullptr || symbols == nullptr) return;
    GElf_Rela relocation;
    for (int i = 0; slots.size() < kMaxSymbols && gelf_getrela(data, i, &relocation) != nullptr; ++i) {
      const auto type = GELF_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      GElf_Sym symbol;
      const auto index = GELF_R_SYM(relocation.r_info);
      if (index > kMaxSymbols || gelf_getsym(symbols, static_cast<int>(index), &symbol) == nullptr) continue;
      const char* name = elf_strptr(elf_, symbol_header.sh_link, symbol.st_name);
      if (name != nullptr) slots[relocation.r_offset] = name;
    }
  });
  return slots;
}

std::vector<CodeRange> ElfFile::code() const {
  std::vector<CodeRange> ranges;
  for_each_section(elf_, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if ((header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_type != SHT_PROGBITS) return;
    const Elf_Data* data = section_data(section, header);
    if (data == nullptr) return;
    ranges.push_back({header.sh_addr, static_cast<const unsigned char*>(data->d_buf), data->d_size});
  });
  return ranges;
}

bool ElfFile::has_section(std::string_view name) const {
  bool found = false;
  for_each_section(elf_, [&](Elf_Scn*, const GElf_Shdr& header) {
    found =
        found || (header.sh_type != SHT_NOBITS && header.sh_size != 0 && section_name(elf_, header) == name);
  });
  return found;
}

std::string ElfFile::section_text(std::string_view name) const {
  std::string text;
  for_each_section(elf_, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (section_name(elf_, header) != name) return;
    if (const Elf_Data* data = section_data(section, header)) {
      text.assign(static_cast<const char*>(data->d_buf), data->d_size);
    }
  });
  return text;
}

std::string ElfFile::build_id() const {
  std::string id;
  for_each_section(elf_, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type != SHT_NOTE || !id.empty()) return;
    Elf_Data* data = section_data(section, header);
    if (data == nullptr) return;
    std::size_t offset = 0;
    GElf_Nhdr note;
    std::size_t name = 0, description = 0;
    while ((offset = gelf_getnote(data, offset, &note, &name, &description)) > 0) {
      const char* bytes = static_cast<const char*>(data->d_buf);
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz > kMaxBuildId) continue;
      if (name + 4 > data->d_size || description + note.n_descsz > data->d_size) continue;
      if (std::memcmp(bytes + name, "GNU", 4) != 0) continue;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[description + i]);
        id += kDigits[byte >> 4];
        id += kDigits[byte & 15];
      }
      break;
    }
  });
  return id;
}

}  // namespace heddle
