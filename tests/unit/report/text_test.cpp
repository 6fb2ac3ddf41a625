#include "tool/report/text.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "golden.h"
#include "samples.h"
#include "tool/report/columns.h"
#include "tool/report/escape.h"
#include "tool/report/places.h"
#include "tool/report/shell_word.h"
#include "trace_builder.h"

namespace heddle::report {
namespace {

std::string name_of(FindingKind kind) {
  std::string name = to_string(kind);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

class EveryKind : public ::testing::TestWithParam<int> {};

TEST_P(EveryKind, IsReportedAsTheGoldenTextHasIt) {
  const auto kind = static_cast<FindingKind>(GetParam());
  const Trace trace = sample_finding(kind);
  TextOptions options;
  options.artifact = "heddle-out/bug-1.heddle";
  std::string text = text_report(trace, trace.findings.at(0), options);
  EXPECT_NE(text.find(std::string("WARNING: heddle: ") + to_string(kind) + " (pid=4711)\n"),
            std::string::npos);
  EXPECT_NE(text.find(std::string("\nSUMMARY: heddle: ") + to_string(kind)), std::string::npos);
  EXPECT_TRUE(
      text.ends_with("\nreproduce: heddle replay heddle-out/bug-1.heddle\nexplain:   heddle explain "
                     "heddle-out/bug-1.heddle\n"));
  if (trace.findings.at(0).message != kGenericMessage) return expect_golden("text_" + name_of(kind), text);
  const std::string name = std::string("heddle: ") + to_string(kind);
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    text.replace(at, name.size(), "heddle: KIND");
  expect_golden("text_of_any_other_kind", text);
}

INSTANTIATE_TEST_SUITE_P(Findings, EveryKind, ::testing::Range(1, static_cast<int>(FindingKind::kCount)),
                         [](const auto& kind) { return name_of(static_cast<FindingKind>(kind.param)); });

TEST(TextReport, ObjectsAreCalledByWhatWasDoneWithThem) {
  TraceBuilder b;
  const Address first = b.global("first", 40);
  b.event(EventKind::kMutexLock, 1).address = first;
  b.finding(FindingKind::kDeadlock, "every thread waits and nothing can wake any of them");
  b.part(PartRole::kBlockedThread, 2, {{"f()", "/home/ada/work/f.cpp", 3, 1}}).address = first;
  const std::string text = text_report(b.trace, b.trace.findings[0]);
  EXPECT_NE(text.find("  Blocked: T2 waits for 'first'.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  Thread T2 waits for mutex 'first' (0x555555558040) at:\n"), std::string::npos)
      << text;
}

TEST(TextReport, AJoinIsNoLock) {
  TraceBuilder b;
  b.finding(FindingKind::kDeadlock);
  const auto waits = [&](unsigned thread, std::uint16_t other) {
    TracePart& p = b.part(PartRole::kBlockedThread, thread, {{"f()", "/home/ada/work/f.cpp", 3, 1}});
    p.other = ThreadId{other};
  };
  waits(0, 1);
  waits(1, 0);
  const std::string text = text_report(b.trace, b.trace.findings[0]);
  EXPECT_NE(text.find("  Cycle: T0 waits for thread T1 to end, T1 waits for main thread to end.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  Main thread waits for thread T1 to end at:\n"), std::string::npos) << text;
}

TEST(TextReport, AnObjectHasTheNameThatTheProgramGaveIt) {
  TraceBuilder b;
  b.trace.texts.push_back("queue lock");
  Event& named = b.event(EventKind::kNote, 0, {});
  named.address = 0x600000001000;
  named.value = 40;
  named.text = static_cast<std::uint32_t>(b.trace.texts.size() - 1);
  b.finding(FindingKind::kMutexMisuse, "unlock of a mutex that is not locked");
  TracePart& p = b.part(PartRole::kHere, 1, {{"f()", "/home/ada/work/f.cpp", 3, 1}});
  p.address = 0x600000001000;
  p.text = "mutex";
  const std::string text = text_report(b.trace, b.trace.findings[0]);
  EXPECT_NE(text.find("mutex 'queue lock' (0x600000001000)"), std::string::npos) << text;
}

// The report and the trace below it are made apart, and mention things in different orders.
TEST(TextReport, NumbersAreThoseOfTheTrace) {
  TraceBuilder b;
  b.event(EventKind::kMutexLock, 0, {}).address = 0x617000000010;
  b.event(EventKind::kMutexLock, 0, {}).address = 0x617000000020;
  b.finding(FindingKind::kMutexMisuse, "unlock of a mutex that is not locked");
  b.part(PartRole::kHere, 0, {{"f()", "/home/ada/work/f.cpp", 3, 1}}).address = 0x617000000020;
  EXPECT_NE(text_report(b.trace, b.trace.findings[0]).find("mem#1 (0x617000000020)"), std::string::npos);
  EXPECT_NE(columns(b.trace).find("mem#1: 0x617000000020"), std::string::npos) << columns(b.trace);
}

TEST(TextReport, WithoutSymbolsShowsModuleAndOffset) {
  TraceBuilder b;
  b.finding(FindingKind::kAbort);
  TracePart& p = b.part(PartRole::kHere, 0, {});
  p.pc = 0x555555555234;
  const std::string text = text_report(b.trace, b.trace.findings[0]);
  EXPECT_NE(text.find("    #0 ?? (program+0x1234)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("SUMMARY: heddle: abort (program+0x1234)\n"), std::string::npos) << text;
}

TEST(TextReport, NothingFromTheProgramReachesTheTerminalUnescaped) {
  TraceBuilder b;
  const std::string evil = "\x1b[2J\x07\r\n\xff\xe2\x80\xae";
  b.trace.output = evil;
  b.source("/e" + evil, 1, evil);
  b.finding(FindingKind::kReported, evil);
  TracePart& p = b.part(PartRole::kHere, 1, {{evil, "/e" + evil, 1, 1, "/m" + evil}});
  p.address = b.global(evil, 4);
  p.text = evil;
  TextOptions options;
  options.artifact = "a" + evil;
  const std::string text = text_report(b.trace, b.trace.findings[0], options);
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
    EXPECT_NE(c, '\x7f');
  }
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_EQ(text.find("\xff"), std::string::npos);
}

TEST(TextReport, ColoursOnlyWhenAsked) {
  const Trace trace = sample_finding(FindingKind::kDataRace);
  EXPECT_EQ(text_report(trace, trace.findings[0]).find('\x1b'), std::string::npos);
  TextOptions options;
  options.color = true;
  EXPECT_NE(text_report(trace, trace.findings[0], options).find('\x1b'), std::string::npos);
}

TEST(Escape, KeepsTextAndStopsTricks) {
  EXPECT_EQ(escaped("größe → 3"), "größe → 3");
  EXPECT_EQ(escaped("a\tb\n\x01\x7f"), "a\\tb\\n\\x01\\x7f");
  EXPECT_EQ(escaped("\xc0\xaf\xed\xa0\x80"), "\\xc0\\xaf\\xed\\xa0\\x80");
  EXPECT_EQ(escaped("\xe2\x80\xae"), "\\u{202e}");
  EXPECT_EQ(escaped("\xc2\x9b"), "\\x9b");  // the one-character form of ESC [
  EXPECT_EQ(escaped_lines("a\n\tb\x1b"), "a\n\tb\\x1b");
  EXPECT_EQ(width_of("größe"), 5u);
  EXPECT_EQ(clipped("größenwahn", 5), "größ…");
  EXPECT_EQ(clipped_front("path/file.cpp:9", 8), "…e.cpp:9");
}

// The line with a caret under the place, as a report has it.
std::string with_caret(std::string_view text, std::size_t column, std::size_t width) {
  const ClippedLine line = clipped_around(text, column, width);
  EXPECT_LE(width_of(line.text), width);
  return line.text + (line.caret ? "\n" + std::string(*line.caret, ' ') + "^" : "");
}

TEST(ClippedAround, KeepsALineThatFits) {
  EXPECT_EQ(with_caret("balance += amount;", 1, 18), "balance += amount;\n^");
  EXPECT_EQ(with_caret("balance += amount;", 12, 40), "balance += amount;\n           ^");
  EXPECT_EQ(with_caret("", 1, 40), "");
}

TEST(ClippedAround, CutsWhereThePlaceIsNot) {
  const std::string line = "0123456789abcdefghijklmnopqrstuvwxyz";
  EXPECT_EQ(with_caret(line, 1, 11), "0123456789…\n^");
  EXPECT_EQ(with_caret(line, 5, 11), "0123456789…\n    ^");
  EXPECT_EQ(with_caret(line, 17, 11), "…cdefghijk…\n     ^");
  EXPECT_EQ(with_caret(line, 36, 11), "…qrstuvwxyz\n          ^");
}

TEST(ClippedAround, WithoutAPlaceTheBeginningIsShown) {
  EXPECT_EQ(with_caret("0123456789", 0, 6), "01234…");
  EXPECT_EQ(with_caret("0123456789", 11, 6), "01234…");  // the source has changed since
  EXPECT_EQ(with_caret("0123", 0, 6), "0123");
}

TEST(ClippedAround, CountsBytesOfTheFileAndColumnsOfTheTerminal) {
  EXPECT_EQ(with_caret("größe = länge;", 11, 40), "größe = länge;\n        ^");
  EXPECT_EQ(with_caret("größe = länge;", 13, 40), "größe = länge;\n         ^");  // inside the ä
  EXPECT_EQ(with_caret("\"日本\" + x", 12, 40), "\"日本\" + x\n         ^");
  EXPECT_EQ(with_caret("\"日本語日本語\" + x", 24, 7), "…\" + x\n     ^");  // 語 takes two columns
  EXPECT_EQ(with_caret("e\u0301a", 4, 40), "e\u0301a\n ^");                 // a mark that combines
}

TEST(ClippedAround, ShowsTabsAsSpacesAndNothingThatMovesTheCursor) {
  EXPECT_EQ(with_caret("\tx = 1;", 2, 40), "    x = 1;\n    ^");
  EXPECT_EQ(with_caret("ab\tx", 4, 40), "ab  x\n    ^");
  EXPECT_EQ(with_caret("\t\t\t\tx = y;", 5, 8), "…  x = …\n   ^");
  EXPECT_EQ(with_caret("\x1b[2Jx\xff", 5, 40), "\\x1b[2Jx\\xff\n       ^");
}

TEST(ClippedAround, NeedsLittleSpace) {
  EXPECT_EQ(with_caret("0123456789", 5, 3), "…4…\n ^");
  EXPECT_EQ(with_caret("0123456789", 5, 2), "4\n^");
  EXPECT_EQ(with_caret("0123456789", 5, 1), "4\n^");
  EXPECT_EQ(with_caret("0123456789", 5, 0), "");
  EXPECT_EQ(with_caret("日本", 1, 1), "");
}

TEST(Places, LongFunctionsLoseTemplateArgumentsFirst) {
  EXPECT_EQ(short_function("f(int)", 40), "f(int)");
  EXPECT_EQ(short_function("std::vector<int, std::allocator<int> >::push_back(int&&)", 40),
            "std::vector<…>::push_back(int&&)");
  EXPECT_EQ(short_function("std::vector<int, std::allocator<int> >::push_back(int&&)", 30),
            "std::vector<…>::push_back(…)");
  EXPECT_EQ(short_function("Set<int>::operator<(Set<int> const&) const", 34),
            "Set<…>::operator<(Set<…> const&) …");
}

TEST(ShellWord, CanBePasted) {
  EXPECT_EQ(shell_word("heddle-out/bug-1.heddle"), "heddle-out/bug-1.heddle");
  EXPECT_EQ(shell_word("my dir/it's"), "'my dir/it'\\''s'");
  EXPECT_EQ(shell_word("a\nb'"), "$'a\\nb\\''");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Numbers, AreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace heddle::report
