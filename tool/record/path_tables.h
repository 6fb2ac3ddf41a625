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

struct PathFunction;

struct PathItem {
  record::ItemKind kind = record::ItemKind::kCall;
  record::FunctionKey callee = record::kNoFunction;  // kCall
  const PathFunction* function = nullptr;  // the callee, if the tables have it (PathTables::Tables::connect)
  std::uint32_t place = 0;
  std::uint32_t line = 0;
  std::uint32_t landing = kNoBlock;  // where an exception arrives
};

inline constexpr std::uint32_t kNoLoop = ~0u;

struct PathBlock {
  std::vector<PathItem> items;
  record::EndKind end = record::EndKind::kStop;
  std::uint32_t place = 0;
  std::uint32_t line = 0;
  std::vector<std::uint32_t> next;  // blocks; of kBranch: where the condition holds, where not
  // What the function's loops say of it, as indices into these.
  std::uint32_t loop = kNoLoop;   // that it heads
  std::uint32_t fixed = kNoLoop;  // whose latch it is
  std::uint32_t quiet = kNoLoop;  // whose latch it is
  bool heads_fixed = false;
  std::uint8_t longer = 2;  // the outcome that has one bit more
};

// A loop that is logged by the number of its rounds.
struct PathLoop {
  std::uint32_t head = 0;  // the block at which it is entered
  struct Exit {
    std::uint32_t block = 0;    // ends with a branch
    std::uint32_t staying = 0;  // its outcome in the loop
  };
  std::vector<Exit> exits;  // in the order in which a round comes to them
};

// A loop whose number of rounds is always the same, unless something else leaves it.
struct FixedLoop {
  std::uint32_t head = 0;
  std::uint32_t latch = 0;  // ends with a branch that is not in the log
  std::uint32_t staying = 0;
  std::uint32_t rounds = 0;
};

// A loop of which nothing is in the log until it is left.
struct QuietLoop {
  std::uint32_t latch = 0;  // ends with a branch
  std::uint32_t staying = 0;
  std::uint32_t rare = 0;  // ends with a branch, one outcome of which has one bit more
  std::uint32_t rare_outcome = 0;
  std::uint32_t bits = 0;  // of the way from the loop's head to there, that outcome included
  std::uint32_t code = 0;
};

struct PathFunction {
  record::FunctionKey key = record::kNoFunction;
  std::string name;
  std::string file;
  std::vector<PathBlock> blocks;  // the first is the entry
  std::vector<PathLoop> loops;
  std::vector<FixedLoop> fixed_loops;
  std::vector<QuietLoop> quiet_loops;
};

struct PathTables::Tables {
  std::uint64_t build = 0;
  std::vector<std::string> modules;
  std::unordered_map<std::uint64_t, PathFunction> functions;  // by key

  const PathFunction* find(record::FunctionKey key) const {
    const auto found = functions.find(static_cast<std::uint64_t>(key));
    return found == functions.end() ? nullptr : &found->second;
  }
  // When all functions are there: who calls whom.
  void connect();
};

// The functions of one section; nothing where it makes no sense.
std::optional<std::vector<PathFunction>> parse_path_section(std::string_view section);

}  // namespace heddle
