// Logs of paths that no recorder wrote: refused, at no cost.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/fuzz/log_layout.h"
#include "tool/record/path_log.h"
#include "tool/record/path_tables.h"
#include "tool/record/path_walk.h"

namespace heddle {
namespace {

using record::ChunkKind;

// A path log with one chunk for the entry of a thread, that many signal handlers deep.
std::string log_with_entry(std::uint64_t depth) {
  record::LogHeader header;
  header.kind = record::LogKind::kPath;
  header.threads = 1;
  header.sealed = 1;
  ByteWriter apart;
  apart.string({reinterpret_cast<const char*>(&header), sizeof header});
  apart.varint(0);  // thread
  apart.varint(static_cast<std::uint64_t>(ChunkKind::kThread));
  apart.varint(0);
  apart.varint(depth);
  apart.varint(0);
  apart.varint(0);
  apart.string(std::string(200, '\0'));
  ByteReader input(apart.bytes());
  const std::string path = testing::TempDir() + "/entry.hlog";
  std::ofstream(path, std::ios::binary) << fuzz::laid_out(input);
  return path;
}

TEST(HostilePathLog, HasNoThreadFourBillionHandlersDeep) {
  const PathTables tables;
  EXPECT_TRUE(read_path_log(log_with_entry(0), tables));
  const auto log = read_path_log(log_with_entry(~0u), tables);
  ASSERT_FALSE(log);
  EXPECT_NE(log.error().message.find("a thread's entry makes no sense"), std::string::npos);
}

// Each function calls the next one twice: 2^48 calls until the first decision.
TEST(HostilePathTables, AreWalkedForSoLongAtMost) {
  constexpr std::uint64_t kFunctions = 48;
  PathTables::Tables tables;
  for (std::uint64_t i = 0; i < kFunctions; ++i) {
    PathFunction& function = tables.functions[i];
    function.key = record::FunctionKey{i};
    PathBlock& block = function.blocks.emplace_back();
    block.end = record::EndKind::kReturn;
    PathItem call;
    call.callee = record::FunctionKey{i + 1};
    if (i + 1 < kFunctions) block.items = {call, call};
  }
  tables.connect();
  record::Mark entered;
  entered.kind = static_cast<std::uint32_t>(record::StepKind::kEntered);
  entered.place = static_cast<std::uint64_t>(record::place_of(record::FunctionKey{0}, 0));
  PathBits bits;
  bits.add(1, 1);
  PathSteps steps(100, 100);
  EXPECT_FALSE(walk_path(tables, bits, {entered}, steps));
}

}  // namespace
}  // namespace heddle
