#include "tool/program/program_calls.h"

#include <cstring>

namespace heddle {
namespace {

constexpr unsigned char kEndBranch[] = {0xf3, 0x0f, 0x1e, 0xfa};

// The address that a 32-bit displacement at `offset` refers to; it counts from the end of the instruction,
// which is the end of the displacement.
std::uint64_t target_at(const CodeRange& range, std::size_t offset) {
  std::int32_t displacement = 0;
  std::memcpy(&displacement, range.bytes + offset, sizeof displacement);
  return range.address + offset + sizeof displacement +
         static_cast<std::uint64_t>(std::int64_t{displacement});
}

constexpr unsigned char kCallNear = 0xe8, kJumpNear = 0xe9, kGroup5 = 0xff;
constexpr unsigned char kCallIndirect = 0x15, kJumpIndirect = 0x25;  // ModRM of *disp32(%rip)

}  // namespace

RuntimeCalls::RuntimeCalls(const ElfFile& file, const std::vector<CodeRange>& code) {
  for (const auto& [slot, symbol] : file.got_slots()) {
    if (symbol.starts_with("__tsan_")) slots_.insert(slot);
  }
  for (const CodeRange& range : code) find_stubs(range);
}

// A stub is [endbr64] [bnd] jmp *slot(%rip), whatever linker made it; a call leads to its start.
void RuntimeCalls::find_stubs(const CodeRange& range) {
  for (std::size_t i = 0; i + 6 <= range.size; ++i) {
    if (range.bytes[i] != kGroup5 || range.bytes[i + 1] != kJumpIndirect) continue;
    if (slots_.count(target_at(range, i + 2)) == 0) continue;
    std::size_t start = i;
    if (start >= 1 && range.bytes[start - 1] == 0xf2) start -= 1;
    if (start >= 4 && std::memcmp(range.bytes + start - 4, kEndBranch, 4) == 0) start -= 4;
    stubs_.insert(range.address + start);
  }
}

bool RuntimeCalls::any_in(const CodeRange& range, std::size_t offset, std::size_t size) const {
  const std::size_t end = offset + size;
  for (std::size_t i = offset; i + 5 <= end; ++i) {
    const unsigned char byte = range.bytes[i];
    if (byte == kCallNear || byte == kJumpNear) {
      if (stubs_.count(target_at(range, i + 1)) != 0) return true;
    } else if (byte == kGroup5 && i + 6 <= end &&
               (range.bytes[i + 1] == kCallIndirect || range.bytes[i + 1] == kJumpIndirect)) {
      if (slots_.count(target_at(range, i + 2)) != 0) return true;
    }
  }
  return false;
}

}  // namespace heddle
