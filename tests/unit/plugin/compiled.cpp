#include "tests/unit/plugin/compiled.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tool/program/program_elf.h"

namespace heddle::plugin::testing {
namespace {

std::string pass_plugin() {
  const char* given = std::getenv("HEDDLE_PASS");
  if (given != nullptr) return given;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() /
         "lib/heddle/symbolic-pass.so";
}

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "heddle-plugin-XXXXXX";
    path_ = mkdtemp(name.data()) != nullptr ? name : "";
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_; }

 private:
  std::string path_;
};

std::vector<NamedElement> elements_in(const std::string& section) {
  std::vector<NamedElement> all;
  for (std::size_t at = 0; at + 9 < section.size();) {
    NamedElement one;
    std::memcpy(&one.id, section.data() + at, 8);
    one.kind = static_cast<record::ElementKind>(section[at + 8]);
    one.name = section.c_str() + at + 9;
    at += 9 + one.name.size() + 1;
    one.place = section.c_str() + at;
    at += one.place.size() + 1;
    all.push_back(one);
  }
  return all;
}

std::string text_of(const PathItem& item) {
  std::string text;
  switch (item.kind) {
    case record::ItemKind::kCall:
      text = "call";
      break;
    case record::ItemKind::kIndirectCall:
      text = "indirect#" + std::to_string(item.place);
      break;
    case record::ItemKind::kLanding:
      text = "landing#" + std::to_string(item.place);
      break;
    case record::ItemKind::kSecondReturn:
      text = "again#" + std::to_string(item.place);
      break;
  }
  return item.landing == kNoBlock ? text : text + "~" + std::to_string(item.landing);
}

std::string text_of(const PathBlock& block) {
  std::string text;
  for (const PathItem& item : block.items) text += " " + text_of(item);
  const std::string place = "#" + std::to_string(block.place);
  switch (block.end) {
    case record::EndKind::kReturn:
      text += " return";
      break;
    case record::EndKind::kStop:
      text += " stop";
      break;
    case record::EndKind::kJump:
      text += " jump";
      break;
    case record::EndKind::kBranch:
      text += " branch" + place;
      break;
    case record::EndKind::kSwitch:
      text += " switch" + place;
      break;
  }
  for (const std::uint32_t next : block.next) text += " " + std::to_string(next);
  return text;
}

}  // namespace

bool can_compile() {
  return std::filesystem::exists("/usr/bin/clang-19") && std::filesystem::exists(pass_plugin());
}

Compiled::Compiled(const std::string& source, const std::string& kind, const std::string& file) {
  const Folder folder;
  std::ofstream(folder.path() + "/" + file) << source;
  const std::string command = "cd " + folder.path() + " && clang-19 -x " + kind + " " + file +
                              (kind == "ir" ? " -O0" : " -O1 -g1") +
                              " -fsanitize=thread -fno-sanitize-link-runtime -mllvm -vectorize-loops=false"
                              " -fPIC -shared -nostdlib -w -fpass-plugin=" +
                              pass_plugin() + " -o out 2> errors";
  if (std::system(command.c_str()) != 0) {
    std::ifstream errors(folder.path() + "/errors");
    ADD_FAILURE() << command << "\n" << errors.rdbuf();
    return;
  }
  const auto elf = ElfFile::open(folder.path() + "/out");
  if (!elf) {
    ADD_FAILURE() << "the binary cannot be read";
    return;
  }
  auto functions = parse_path_section(elf->section_text(record::kPathSection));
  EXPECT_TRUE(functions) << "the tables make no sense";
  if (functions) functions_ = std::move(*functions);
  elements_ = elements_in(elf->section_text(record::kElementNameSection));
  for (const ElfSymbol& symbol : elf->symbols()) {
    if (symbol.is_defined) symbols_.insert(symbol.name);
  }
  graph_ = elf->section_text(record::kGraphSection);
}

const PathFunction* Compiled::path(const std::string& function) const {
  for (const PathFunction& one : functions_) {
    if (one.name == function) return &one;
  }
  return nullptr;
}

std::string Compiled::path_text(const std::string& function) const {
  const PathFunction* one = path(function);
  if (one == nullptr) return "none";
  std::string text;
  for (std::size_t i = 0; i < one->blocks.size(); ++i)
    text += std::to_string(i) + ":" + text_of(one->blocks[i]) + "\n";
  for (const PathLoop& loop : one->loops) {
    text += "counted " + std::to_string(loop.head) + ", left from";
    for (const PathLoop::Exit& exit : loop.exits)
      text += " " + std::to_string(exit.block) + (exit.staying == 1 ? "+" : "-");
    text += "\n";
  }
  for (const FixedLoop& loop : one->fixed_loops)
    text += "fixed " + std::to_string(loop.head) + " to " + std::to_string(loop.latch) +
            (loop.staying == 1 ? "+" : "-") + ", rounds " + std::to_string(loop.rounds) + "\n";
  for (const QuietLoop& loop : one->quiet_loops)
    text += "quiet " + std::to_string(loop.latch) + (loop.staying == 1 ? "+" : "-") + ", rare " +
            std::to_string(loop.rare) + (loop.rare_outcome == 1 ? "+" : "-") + ", bits " +
            std::to_string(loop.bits) + " code " + std::to_string(loop.code) + "\n";
  return text;
}

std::set<std::string> Compiled::names(record::ElementKind kind) const {
  std::set<std::string> names;
  for (const NamedElement& one : elements_) {
    if (one.kind == kind) names.insert(one.name);
  }
  return names;
}

}  // namespace heddle::plugin::testing
