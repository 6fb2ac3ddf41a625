// The control flow that path logs are read along, out of a binary's section `heddle_path`
// (core/record/path_table.h). Private to this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/record/path_table.h"
#include "tool/record/path_log.h"

namespace heddle {

inline constexpr std::uint32_t kNoBlock = ~0u;

struct PathItem {
  record::ItemKind kind = record::ItemKind::kCall;
  record::FunctionKey callee = record::kNoFunction;  // kCall
  std::uint32_t place = 0;
  std::uint32_t line = 0;
  std::uint32_t landing = kNoBlock;  // where an exception arrives
};

struct PathBlock {
  std::vector<PathItem> items;
  record::EndKind end = record::EndKind::kStop;
  std::uint32_t place = 0;
  std::uint32_t line = 0;
  std::vector<std::uint32_t> next;  // blocks; of kBranch: where the condition holds, where not
};

struct PathFunction {
  record::FunctionKey key = record::kNoFunction;
  std::string name;
  std::string file;
  std::vector<PathBlock> blocks;  // the first is the entry
};

struct PathTables::Tables {
  std::uint64_t build = 0;
  std::vector<std::string> modules;
  std::unordered_map<std::uint64_t, PathFunction> functions;  // by key

  const PathFunction* find(record::FunctionKey key) const {
    const auto found = functions.find(static_cast<std::uint64_t>(key));
    return found == functions.end() ? nullptr : &found->second;
  }
};

// The functions of one section; nothing where it makes no sense.
std::optional<std::vector<PathFunction>> parse_path_section(std::string_view section);

}  // namespace heddle
