// What addresses mean, as plain values: frames of code, names of data, lines of source. Made once by the
// Symboliser on the machine where the bug was found and kept in the artifact, so that it can be read
// anywhere.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/ids.h"

namespace heddle {

// One function activation. An inlined call has its own Frame; all Frames of one pc share module and offset.
struct Frame {
  std::string function;               // demangled; empty: unknown
  std::string file;                   // absolute where the debug information says so; empty: unknown
  std::uint32_t line = 0;             // 0: unknown
  std::uint32_t column = 0;           // 0: unknown
  std::uint32_t function_line = 0;    // where the function is declared; 0: unknown
  std::string module;                 // path of the binary or library; empty: outside all modules
  std::uint64_t offset = 0;           // of the pc from the module's load bias
  std::uint64_t function_offset = 0;  // of the pc from the function's symbol; 0: unknown
  bool inlined = false;               // was inlined into the next Frame

  friend bool operator==(const Frame&, const Frame&) = default;
};

// The global variable, or the part of one, at an address.
struct DataSymbol {
  std::string name;        // "queue.head", "table[3].count", "buffer+12"
  std::string variable;    // "queue"
  Address start = 0;       // of the variable
  std::uint64_t size = 0;  // of the variable
  std::string module;
  std::uint64_t offset = 0;  // of the address from the module's load bias
  std::string file;          // where the variable is declared; empty: unknown
  std::uint32_t line = 0;

  friend bool operator==(const DataSymbol&, const DataSymbol&) = default;
};

struct Symbols {
  std::map<std::uint64_t, std::vector<Frame>> frames;  // by return address; innermost first
  std::map<Address, DataSymbol> data;                  // by the very address that an event or a finding names
  std::map<std::string, std::map<std::uint32_t, std::string>> sources;  // file → line → text

  // The text of a line that was kept, or nullptr.
  const std::string* source_line(const std::string& file, std::uint32_t line) const;
};

}  // namespace heddle
