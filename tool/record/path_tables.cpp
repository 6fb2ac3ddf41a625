#include "tool/record/path_tables.h"

#include <cstring>

#include "core/base/random.h"
#include "tool/base/bytes.h"
#include "tool/program/program_elf.h"
#include "tool/program/program_search.h"

namespace heddle {
namespace {

using record::EndKind;
using record::ItemKind;

record::FunctionKey read_key(ByteReader& reader) {
  std::uint64_t key = 0;
  const std::string_view bytes = reader.raw(record::kKeyBits / 8);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    key |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return record::FunctionKey{key};
}

// A number that has to be below `limit`.
std::uint32_t read_below(ByteReader& reader, std::uint64_t limit) {
  const std::uint64_t n = reader.varint();
  if (n >= limit) reader.fail();
  return reader.failed() ? 0 : static_cast<std::uint32_t>(n);
}

std::uint32_t read_place(ByteReader& reader, std::uint32_t& line) {
  const std::uint32_t place = read_below(reader, record::kMostPlaces);
  line = read_below(reader, std::uint64_t{1} << 32);
  return place;
}

PathItem read_item(ByteReader& reader, std::uint64_t blocks) {
  PathItem item;
  item.kind =
      static_cast<ItemKind>(read_below(reader, static_cast<std::uint64_t>(ItemKind::kSecondReturn) + 1));
  if (item.kind == ItemKind::kCall) {
    item.callee = read_key(reader);
  } else {
    item.place = read_place(reader, item.line);
  }
  if (item.kind == ItemKind::kCall || item.kind == ItemKind::kIndirectCall) {
    const std::uint32_t landing = read_below(reader, blocks + 1);
    item.landing = landing == 0 ? kNoBlock : landing - 1;
  }
  return item;
}

PathBlock read_block(ByteReader& reader, std::uint64_t blocks) {
  PathBlock block;
  const std::uint64_t items = reader.count(1);
  for (std::uint64_t i = 0; i < items && !reader.failed(); ++i)
    block.items.push_back(read_item(reader, blocks));
  block.end = static_cast<EndKind>(read_below(reader, static_cast<std::uint64_t>(EndKind::kSwitch) + 1));
  std::uint64_t successors = block.end == EndKind::kJump ? 1 : 0;
  if (block.end == EndKind::kBranch || block.end == EndKind::kSwitch) {
    block.place = read_place(reader, block.line);
    successors = block.end == EndKind::kBranch ? 2 : reader.count(1);
  }
  for (std::uint64_t i = 0; i < successors && !reader.failed(); ++i)
    block.next.push_back(read_below(reader, blocks));
  return block;
}

PathLoop read_loop(ByteReader& reader, const std::vector<PathBlock>& blocks) {
  PathLoop loop;
  loop.head = read_below(reader, blocks.size());
  const std::uint64_t exits = reader.count(2);
  if (exits == 0 || exits > record::kMostExits) reader.fail();
  for (std::uint64_t i = 0; i < exits && !reader.failed(); ++i) {
    const std::uint32_t block = read_below(reader, blocks.size());
    loop.exits.push_back({block, read_below(reader, 2)});
    if (!reader.failed() && blocks[block].end != EndKind::kBranch) reader.fail();
  }
  return loop;
}

FixedLoop read_fixed_loop(ByteReader& reader, const std::vector<PathBlock>& blocks) {
  FixedLoop loop;
  loop.head = read_below(reader, blocks.size());
  loop.latch = read_below(reader, blocks.size());
  loop.staying = read_below(reader, 2);
  loop.rounds = read_below(reader, std::uint64_t{1} << 32);
  if (!reader.failed() && blocks[loop.latch].end != EndKind::kBranch) reader.fail();
  return loop;
}

QuietLoop read_quiet_loop(ByteReader& reader, const std::vector<PathBlock>& blocks) {
  QuietLoop loop;
  loop.latch = read_below(reader, blocks.size());
  loop.staying = read_below(reader, 2);
  loop.rare = read_below(reader, blocks.size());
  loop.rare_outcome = read_below(reader, 2);
  loop.bits = read_below(reader, record::kMostRareBits + 1);
  loop.code = read_below(reader, std::uint64_t{1} << record::kMostRareBits);
  if (reader.failed()) return loop;
  if (blocks[loop.latch].end != EndKind::kBranch || blocks[loop.rare].end != EndKind::kBranch ||
      loop.bits == 0 || loop.code >> loop.bits != 0)
    reader.fail();
  return loop;
}

// What each block is told of the loops. (Of several that head in it the first one counts.)
void tell_blocks(PathFunction& function) {
  const auto number = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  for (std::size_t i = function.loops.size(); i-- > 0;)
    function.blocks[function.loops[i].head].loop = number(i);
  for (std::size_t i = function.fixed_loops.size(); i-- > 0;) {
    function.blocks[function.fixed_loops[i].head].heads_fixed = true;
    function.blocks[function.fixed_loops[i].latch].fixed = number(i);
  }
  for (std::size_t i = function.quiet_loops.size(); i-- > 0;) {
    const QuietLoop& loop = function.quiet_loops[i];
    function.blocks[loop.latch].quiet = number(i);
    function.blocks[loop.rare].longer = static_cast<std::uint8_t>(loop.rare_outcome);
  }
}

PathFunction read_function(ByteReader& reader) {
  PathFunction function;
  function.key = read_key(reader);
  function.name = std::string(reader.string());
  function.file = std::string(reader.string());
  const std::uint64_t blocks = reader.count(1);
  for (std::uint64_t i = 0; i < blocks && !reader.failed(); ++i)
    function.blocks.push_back(read_block(reader, blocks));
  if (function.blocks.empty()) reader.fail();
  const std::uint64_t loops = reader.count(4);
  for (std::uint64_t i = 0; i < loops && !reader.failed(); ++i)
    function.loops.push_back(read_loop(reader, function.blocks));
  const std::uint64_t fixed = reader.count(4);
  for (std::uint64_t i = 0; i < fixed && !reader.failed(); ++i)
    function.fixed_loops.push_back(read_fixed_loop(reader, function.blocks));
  const std::uint64_t quiet = reader.count(6);
  for (std::uint64_t i = 0; i < quiet && !reader.failed(); ++i)
    function.quiet_loops.push_back(read_quiet_loop(reader, function.blocks));
  if (!reader.failed()) tell_blocks(function);
  return function;
}

// Adds a module's functions and its share of the build's identity. An error if it is damaged; `is_full` is
// false if it was not built so.
Status add_module(const std::string& path, PathTables::Tables& tables, bool& is_full) {
  const auto file = ElfFile::open(path);
  if (!file) return file.error();
  is_full = file->has_section(record::kGraphSection);
  if (!is_full) return Done{};
  const std::string graph = file->section_text(record::kGraphSection);
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= graph.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, graph.data() + at, sizeof word);
    tables.build += mix(word, 1);
  }
  auto functions = parse_path_section(file->section_text(record::kPathSection));
  if (!functions)
    return Error{path + " has a damaged section `heddle_path`. Build it again with `heddle c++ --full`."};
  for (PathFunction& function : *functions)
    tables.functions.try_emplace(static_cast<std::uint64_t>(function.key), std::move(function));
  tables.modules.push_back(path);
  return Done{};
}

}  // namespace

std::optional<std::vector<PathFunction>> parse_path_section(std::string_view section) {
  std::vector<PathFunction> functions;
  ByteReader reader(section);
  while (!reader.at_end()) {
    ByteReader entry(reader.raw(reader.fixed32()));
    if (reader.failed()) return std::nullopt;
    functions.push_back(read_function(entry));
    if (entry.failed() || !entry.at_end()) return std::nullopt;
  }
  return functions;
}

void PathTables::Tables::connect() {
  for (auto& [key, function] : functions) {
    for (PathBlock& block : function.blocks) {
      for (PathItem& item : block.items)
        item.function = item.kind == ItemKind::kCall ? find(item.callee) : nullptr;
    }
  }
}

PathTables::PathTables() : tables_(std::make_unique<Tables>()) {}
PathTables::PathTables(PathTables&&) noexcept = default;
PathTables& PathTables::operator=(PathTables&&) noexcept = default;
PathTables::~PathTables() = default;

Result<PathTables> PathTables::read(const std::string& program) {
  return read(program, own_libraries(program));
}

Result<PathTables> PathTables::read(const std::string& program, const std::vector<std::string>& libraries) {
  PathTables tables;
  bool is_full = false;
  if (const Status read = add_module(program, *tables.tables_, is_full); !read) return read.error();
  if (!is_full) return Error{program + " cannot be recorded. Build it with `heddle c++ --full`."};
  for (const std::string& library : libraries) {
    if (library == program) continue;
    if (const Status read = add_module(library, *tables.tables_, is_full); !read) return read.error();
  }
  tables.tables_->connect();
  return tables;
}

std::uint64_t PathTables::build() const { return tables_->build; }

PathTables::Place PathTables::describe(record::PlaceId place) const {
  const PathFunction* function = tables_->find(record::function_of(place));
  if (function == nullptr) return {};
  const std::uint32_t number = record::number_of(place);
  Place result{record::StepKind::kEntered, function->name, function->file, 0, 0, 0};
  for (std::uint32_t b = 0; b < function->blocks.size(); ++b) {
    const PathBlock& block = function->blocks[b];
    for (const PathItem& item : block.items) {
      if (item.kind == ItemKind::kCall || item.place != number) continue;
      result.kind = item.kind == ItemKind::kIndirectCall ? record::StepKind::kIndirectCall
                    : item.kind == ItemKind::kLanding    ? record::StepKind::kLanding
                                                         : record::StepKind::kSecondReturn;
      result.line = item.line;
      result.block = b;
      return result;
    }
    if (block.next.size() < 2 || block.place != number) continue;
    result.kind = block.end == EndKind::kBranch ? record::StepKind::kBranch : record::StepKind::kSwitch;
    result.line = block.line;
    result.successors = static_cast<std::uint32_t>(block.next.size());
    result.block = b;
    return result;
  }
  return result;
}

}  // namespace heddle
