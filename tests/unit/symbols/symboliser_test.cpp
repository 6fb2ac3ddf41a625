#include "tool/symbols/symboliser.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>

namespace heddle {
namespace {

// A fixture's own account of where its code and data lie (fixtures/program.cpp).
struct Fixture {
  std::vector<TraceModule> modules;
  std::map<std::string, std::pair<std::uint64_t, std::uint32_t>> pcs;
  std::map<std::string, Address> data;
  std::string path;

  explicit Fixture(const std::string& name) : path(std::string(SYMBOL_FIXTURES) + "/" + name + "/program") {
    FILE* pipe = ::popen(path.c_str(), "r");
    std::string output;
    char chunk[4096];
    while (const std::size_t got = std::fread(chunk, 1, sizeof chunk, pipe)) output.append(chunk, got);
    ::pclose(pipe);
    std::istringstream lines(output);
    for (std::string kind; lines >> kind;) {
      if (kind == "module") {
        TraceModule m;
        lines >> std::hex >> m.base >> m.begin >> m.end >> std::dec >> m.path;
        if (m.path == "-") m.path = path;
        modules.push_back(m);
      } else {
        std::string label, address;
        lines >> label >> address;
        const std::uint64_t value = std::stoull(address, nullptr, 16);
        if (kind == "pc") {
          lines >> pcs[label].second;
          pcs[label].first = value;
        } else {
          data[label] = value;
        }
      }
    }
  }
};

std::vector<std::string> debug_variants() {
  std::vector<std::string> names = {"gcc_O0", "gcc_O2", "gcc_no_pie", "gcc_split", "gcc_dwarf4"};
  if (HAVE_CLANG_FIXTURES) names.insert(names.end(), {"clang_O0", "clang_O2"});
  return names;
}

class WithDebugInformation : public ::testing::TestWithParam<std::string> {};

TEST_P(WithDebugInformation, ExpandsInlinedCalls) {
  const Fixture f(GetParam());
  Symboliser s(f.modules);
  const auto& frames = s.frames(f.pcs.at("inner").first);
  ASSERT_EQ(frames.size(), 3u);
  // g++ gives functions of internal linkage no linkage name, so that an inlined one has no parameter list.
  EXPECT_TRUE(frames[0].function == "inner()" || frames[0].function == "inner") << frames[0].function;
  EXPECT_TRUE(frames[1].function == "outer()" || frames[1].function == "outer") << frames[1].function;
  EXPECT_EQ(frames[2].function, "caller(int)");
  EXPECT_TRUE(frames[0].inlined);
  EXPECT_TRUE(frames[1].inlined);
  EXPECT_FALSE(frames[2].inlined);
  EXPECT_EQ(frames[0].line, f.pcs.at("inner").second);
  EXPECT_EQ(frames[1].line, f.pcs.at("outer").second);
  EXPECT_EQ(frames[2].line, f.pcs.at("caller").second);
  for (const Frame& frame : frames) {
    EXPECT_TRUE(frame.file.starts_with("/")) << frame.file;
    EXPECT_TRUE(frame.file.ends_with("fixtures/program.cpp")) << frame.file;
    EXPECT_GT(frame.column, 0u);
    EXPECT_EQ(frame.module, f.path);
    EXPECT_EQ(frame.function_line + 2, frame.line);
    EXPECT_EQ(frame.offset, f.pcs.at("inner").first - f.modules[0].base);
  }
}

TEST_P(WithDebugInformation, KnowsTheLinesOfWhatIsInANamespace) {
  const Fixture f(GetParam());
  Symboliser s(f.modules);
  const auto& frames = s.frames(f.pcs.at("hidden").first);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[1].function, "(anonymous namespace)::hidden()");
  EXPECT_EQ(frames[1].line, f.pcs.at("hidden").second);
  EXPECT_TRUE(frames[1].file.ends_with("fixtures/program.cpp")) << frames[1].file;
}

TEST_P(WithDebugInformation, NamesPlacesInSharedLibraries) {
  const Fixture f(GetParam());
  Symboliser s(f.modules);
  const auto& frames = s.frames(f.pcs.at("library").first);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "library_place(int&)");
  EXPECT_EQ(frames[0].line, f.pcs.at("library").second);
  EXPECT_TRUE(frames[0].module.ends_with("liblibrary.so"));
}

TEST_P(WithDebugInformation, NamesDataAsTheSourceDoes) {
  const Fixture f(GetParam());
  Symboliser s(f.modules);
  const auto name = [&](const char* label, std::uint32_t size) {
    const auto symbol = s.data(f.data.at(label), size);
    return symbol ? symbol->name : "(none)";
  };
  EXPECT_EQ(name("head", 4), "app::queue.head");
  EXPECT_EQ(name("tail", 4), "app::queue.tail");
  EXPECT_EQ(name("slot_id", 4), "app::queue.slots[2].id");
  EXPECT_EQ(name("slot_next", 8), "app::queue.slots[3].next");
  EXPECT_EQ(name("lock", 0), "app::queue.lock");
  EXPECT_EQ(name("lock_inside", 4), "app::queue.lock+4");
  EXPECT_EQ(name("whole", 4), "app::queue.half");
  EXPECT_EQ(name("nodes", 8), "app::nodes[1].next");
  EXPECT_EQ(name("counter", 4), "counter");
  EXPECT_EQ(name("matrix", 4), "matrix[2][3]");
  EXPECT_EQ(name("matrix_inside", 1), "matrix[1][0]+2");
  EXPECT_EQ(name("static", 4), "function_static()::calls");
  EXPECT_EQ(name("library", 4), "library_counter");
  EXPECT_EQ(name("stack", 4), "(none)");
}

INSTANTIATE_TEST_SUITE_P(Compilers, WithDebugInformation, ::testing::ValuesIn(debug_variants()),
                         [](const auto& variant) { return variant.param; });

TEST(Symboliser, WithoutDebugInformationTheSymbolTableIsUsed) {
  const Fixture f("gcc_no_debug");
  Symboliser s(f.modules);
  const auto& frames = s.frames(f.pcs.at("inner").first);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "caller(int)");
  EXPECT_EQ(frames[0].file, "");
  EXPECT_GT(frames[0].function_offset, 0u);
  const auto tail = s.data(f.data.at("tail"), 4);
  ASSERT_TRUE(tail);
  EXPECT_EQ(tail->name, "app::queue+4");
  EXPECT_EQ(s.data(f.data.at("counter"), 4)->name, "counter");
}

TEST(Symboliser, OutsideAllModulesTheAddressRemains) {
  Symboliser s({});
  const auto& frames = s.frames(0x1234);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].module, "");
  EXPECT_EQ(frames[0].offset, 0x1234u);
  EXPECT_FALSE(s.data(0x1234));
}

TEST(Symboliser, AChangedOrMissingFileGivesNoNamesAndSaysSo) {
  Fixture f("gcc_O2");
  f.modules[0].build_id = "00112233";
  Symboliser changed(f.modules);
  EXPECT_EQ(changed.frames(f.pcs.at("inner").first)[0].function, "");
  ASSERT_EQ(changed.warnings().size(), 1u);
  EXPECT_NE(changed.warnings()[0].find("has changed"), std::string::npos);

  f.modules[0].path = "/nonexistent/program";
  Symboliser missing(f.modules);
  const auto& frames = missing.frames(f.pcs.at("inner").first);
  EXPECT_EQ(frames[0].module, "/nonexistent/program");
  EXPECT_EQ(frames[0].offset, f.pcs.at("inner").first - f.modules[0].base);
  ASSERT_EQ(missing.warnings().size(), 1u);
}

TEST(Symboliser, DemanglesForPeople) {
  EXPECT_EQ(demangled("_ZN3app5QueueIiE4pushEi"), "app::Queue<int>::push(int)");
  EXPECT_EQ(demangled("_Z4workv.constprop.0"), "work()");
  EXPECT_EQ(demangled("calls.1"), "calls");
  EXPECT_EQ(demangled("memcpy@@GLIBC_2.14"), "memcpy");
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("_Znot_a_name"), "_Znot_a_name");
}

TEST(Symbolise, FillsATraceSoThatItCanBeReadWithoutTheBinary) {
  const Fixture f("gcc_O2");
  Trace t;
  t.modules = f.modules;
  TraceFinding finding;
  finding.kind = FindingKind::kAssertion;
  TracePart part;
  part.pc = f.pcs.at("inner").first;
  part.address = f.data.at("tail");
  part.size = 4;
  finding.parts = {part};
  t.findings = {finding};
  Symboliser s(f.modules);
  symbolise(t, s);
  ASSERT_EQ(t.symbols.frames.at(part.pc).size(), 3u);
  EXPECT_EQ(t.symbols.data.at(part.address).name, "app::queue.tail");
  const Frame& inner = t.symbols.frames.at(part.pc)[0];
  ASSERT_NE(t.symbols.source_line(inner.file, inner.line), nullptr);
  EXPECT_EQ(*t.symbols.source_line(inner.file, inner.line), "  return kept(here());");
}

}  // namespace
}  // namespace heddle
