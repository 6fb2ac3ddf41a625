// The walkers of formats: what printf and scanf access, against what libc does with the same arguments.
#include "runtime/abi/libc/format_accesses.h"

#include <gtest/gtest.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include <cstring>
#include <random>
#include <regex>
#include <string>
#include <vector>

namespace heddle::abi {
namespace {

struct Told {
  const void* memory;
  std::size_t bytes;
  bool is_write;
  friend bool operator==(const Told&, const Told&) = default;
};

void PrintTo(const Told& told, std::ostream* out) {
  *out << (told.is_write ? "write " : "read ") << told.bytes << " at " << told.memory;
}

std::vector<Told> all_of(const FormatAccesses& found) {
  std::vector<Told> told;
  for (const FormatAccess& access : found) told.push_back({access.memory, access.bytes, access.is_write});
  return told;
}

template <typename Char>
std::vector<Told> printed(const Char* format, ...) {
  va_list list;
  va_start(list, format);
  FormatAccesses found;
  find_printf_accesses(format, list, found);
  va_end(list);
  return all_of(found);
}

template <typename Char>
std::vector<Told> scanned(ScanDialect dialect, int assigned, const Char* format, ...) {
  va_list list;
  va_start(list, format);
  FormatAccesses found;
  find_scanf_accesses(format, list, assigned, dialect, found);
  va_end(list);
  return all_of(found);
}

using List = std::vector<Told>;
constexpr auto kIso = ScanDialect::kIso;
constexpr auto kGnu = ScanDialect::kGnu;

TEST(PrintfAccesses, ReadsStringsWithTheirEnd) {
  const char* text = "text";
  EXPECT_EQ(printed("%s", text), (List{{text, 5, false}}));
  EXPECT_EQ(printed("a %d %s %lu", 1, text, 2ul), (List{{text, 5, false}}));
  EXPECT_EQ(printed("%-10s|%+5d|%#lx", text, 7, 8l), (List{{text, 5, false}}));
  EXPECT_EQ(printed("nothing %% here %m"), List{});
}

TEST(PrintfAccesses, ReadsNoMoreThanThePrecision) {
  const char unterminated[4] = {'a', 'b', 'c', 'd'};
  EXPECT_EQ(printed("%.3s", unterminated), (List{{unterminated, 3, false}}));
  EXPECT_EQ(printed("%.4s", unterminated), (List{{unterminated, 4, false}}));
  EXPECT_EQ(printed("%.*s", 2, unterminated), (List{{unterminated, 2, false}}));
  EXPECT_EQ(printed("%*.*s", 9, 1, unterminated), (List{{unterminated, 1, false}}));
  EXPECT_EQ(printed("%.0s%.s", unterminated, unterminated), List{});
  const char* text = "ab";
  EXPECT_EQ(printed("%.10s", text), (List{{text, 3, false}}));
  EXPECT_EQ(printed("%.*s", -1, text), (List{{text, 3, false}})) << "a negative precision is none";
}

TEST(PrintfAccesses, PassesOverFloatingPointArguments) {
  const char* text = "t";
  EXPECT_EQ(printed("%f%s", 1.0, text), (List{{text, 2, false}}));
  EXPECT_EQ(printed("%Lf%s", 1.0L, text), (List{{text, 2, false}}));
  EXPECT_EQ(printed("%f%f%f%f%f%f%f%f%f%f%s", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., text),
            (List{{text, 2, false}}));
  EXPECT_EQ(printed("%d%d%d%d%d%d%d%Lg%s", 1, 2, 3, 4, 5, 6, 7, 1.0L, text), (List{{text, 2, false}}));
  EXPECT_EQ(printed("%la%hhd%jd%zu%td%qd%s", 1.0, 1, 2l, 3ul, 4l, 5ll, text), (List{{text, 2, false}}));
}

TEST(PrintfAccesses, WritesCounts) {
  long target = 0;
  EXPECT_EQ(printed("%n", &target), (List{{&target, 4, true}}));
  EXPECT_EQ(printed("%hn", &target), (List{{&target, 2, true}}));
  EXPECT_EQ(printed("%hhn", &target), (List{{&target, 1, true}}));
  for (const char* format : {"%ln", "%lln", "%jn", "%zn", "%tn", "%qn", "%Ln"})
    EXPECT_EQ(printed(format, &target), (List{{&target, 8, true}})) << format;
}

TEST(PrintfAccesses, KnowsPositions) {
  const char* a = "a";
  const char* b = "bb";
  EXPECT_EQ(printed("%2$s %1$s", a, b), (List{{b, 3, false}, {a, 2, false}}));
  EXPECT_EQ(printed("%3$s %1$d %2$f", 1, 2.0, a), (List{{a, 2, false}}));
  EXPECT_EQ(printed("%2$.*1$s", 1, b), (List{{b, 1, false}}));
  EXPECT_EQ(printed("%3$*1$.*2$s", 9, 2, b), (List{{b, 2, false}}));
  EXPECT_EQ(printed("%1$s %1$s", a), (List{{a, 2, false}, {a, 2, false}}));
}

TEST(PrintfAccesses, KnowsWideStrings) {
  const wchar_t* wide = L"wide";
  const char* narrow = "narrow";
  EXPECT_EQ(printed("%ls", wide), (List{{wide, 20, false}}));
  EXPECT_EQ(printed("%S", wide), (List{{wide, 20, false}}));
  EXPECT_EQ(printed("%.2ls", wide), (List{{wide, 8, false}}));
  EXPECT_EQ(printed(L"%ls %s", wide, narrow), (List{{wide, 20, false}, {narrow, 7, false}}));
  EXPECT_EQ(printed(L"%.2ls %.3s", wide, narrow), (List{{wide, 8, false}, {narrow, 3, false}}));
  EXPECT_EQ(printed("%lc%C%s", L'x', L'y', narrow), (List{{narrow, 7, false}}));
}

TEST(PrintfAccesses, TellsNothingOfNull) {
  EXPECT_EQ(printed("%s %ls %p", nullptr, nullptr, nullptr), List{});
}

TEST(PrintfAccesses, StopsWhereItDoesNotUnderstand) {
  const char* a = "a";
  EXPECT_EQ(printed("%s %y %s", a, a, a), (List{{a, 2, false}}));
  EXPECT_EQ(printed("%s %", a), (List{{a, 2, false}}));
  EXPECT_EQ(printed("%"), List{});
  EXPECT_EQ(printed("%99999999999999999999$s", a), List{});
  EXPECT_EQ(printed("%65$s", a), List{}) << "more positions than are kept";
  EXPECT_EQ(printed("%1$s %s", a), (List{{a, 2, false}}));
  EXPECT_EQ(printed("%.99999999999999999999s", a), (List{{a, 2, false}}));
  EXPECT_EQ(printed("%l"), List{});
  EXPECT_EQ(printed("%*"), List{});
}

TEST(PrintfAccesses, NoFormatIsTooHostile) {
  // Every argument is a pointer to an empty string; as a width or precision it only bounds what is read.
  static const char empty[16] = {};
  const std::regex beyond("[1-9][0-9]+\\$");
  std::mt19937 random(1);
  const std::string letters = "%%%%%%$$*..0123456789-+ #'Ihlqjztds[]^spnmcCSXfgaLyB";
  for (int round = 0; round < 50'000; ++round) {
    std::string format;
    for (unsigned length = random() % 12; length > 0; --length) format += letters[random() % letters.size()];
    // A position behind the arguments that there are would be a mistake of this test.
    if (std::regex_search(format, beyond)) continue;
    printed(format.c_str(), empty, empty, empty, empty, empty, empty, empty, empty, empty, empty, empty,
            empty);
  }
}

TEST(ScanfAccesses, WritesWhatWasAssigned) {
  int number = 0;
  char text[8] = "abc";
  EXPECT_EQ(scanned(kIso, 2, "%d %s", &number, text), (List{{&number, 4, true}, {text, 4, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%d %s", &number, text), (List{{&number, 4, true}}));
  EXPECT_EQ(scanned(kIso, 0, "%d %s", &number, text), List{});
  EXPECT_EQ(scanned(kIso, -1, "%d %s", &number, text), List{});
  EXPECT_EQ(scanned(kIso, 1, "%*d %s", text), (List{{text, 4, true}}));
}

TEST(ScanfAccesses, KnowsSizes) {
  char room[32] = {};
  const struct {
    const char* format;
    std::size_t bytes;
  } cases[] = {{"%hhd", 1}, {"%hd", 2}, {"%d", 4}, {"%ld", 8}, {"%lld", 8},  {"%jd", 8},  {"%zu", 8},
               {"%tx", 8},  {"%i", 4},  {"%o", 4}, {"%f", 4},  {"%lf", 8},   {"%Lf", 16}, {"%e", 4},
               {"%a", 4},   {"%p", 8},  {"%c", 1}, {"%5c", 5}, {"%3lc", 12}, {"%'d", 4},  {"%Id", 4}};
  for (const auto& c : cases)
    EXPECT_EQ(scanned(kIso, 1, c.format, room), (List{{room, c.bytes, true}})) << c.format;
}

TEST(ScanfAccesses, KnowsSetsAndWideText) {
  char text[8] = "ab";
  wchar_t wide[8] = L"wid";
  EXPECT_EQ(scanned(kIso, 1, "%[a-z]", text), (List{{text, 3, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%[]a]", text), (List{{text, 3, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%[^]%d]", text), (List{{text, 3, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%[abc", text), List{}) << "a set without an end";
  EXPECT_EQ(scanned(kIso, 2, "%ls%l[a-z]", wide, wide), (List{{wide, 16, true}, {wide, 16, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%S", wide), (List{{wide, 16, true}}));
  EXPECT_EQ(scanned(kIso, 1, L"%ls", wide), (List{{wide, 16, true}}));
}

TEST(ScanfAccesses, KnowsWhatAllocates) {
  char block[] = "made";
  char* made = block;
  EXPECT_EQ(scanned(kIso, 1, "%ms", &made), (List{{&made, 8, true}, {block, 5, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%m[a-z]", &made), (List{{&made, 8, true}, {block, 5, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%3mc", &made), (List{{&made, 8, true}, {block, 3, true}}));
  EXPECT_EQ(scanned(kGnu, 1, "%as", &made), (List{{&made, 8, true}, {block, 5, true}}));
  EXPECT_EQ(scanned(kGnu, 1, "%a[a-z]", &made), (List{{&made, 8, true}, {block, 5, true}}));
  float number = 0;
  EXPECT_EQ(scanned(kIso, 1, "%as", &number), (List{{&number, 4, true}})) << "ISO C: a number, then an s";
  EXPECT_EQ(scanned(kGnu, 1, "%a", &number), (List{{&number, 4, true}}));
}

TEST(ScanfAccesses, WritesCountsWhereTheyWereReachedForSure) {
  int number = 0, count = 0;
  EXPECT_EQ(scanned(kIso, 1, "%d%n", &number, &count), (List{{&number, 4, true}, {&count, 4, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%d %n", &number, &count), (List{{&number, 4, true}, {&count, 4, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%d,%n", &number, &count), (List{{&number, 4, true}}));
  EXPECT_EQ(scanned(kIso, 1, "x%n%d", &count, &number), (List{{&count, 4, true}, {&number, 4, true}}));
  EXPECT_EQ(scanned(kIso, 0, "%n%d", &count, &number), (List{{&count, 4, true}}));
  EXPECT_EQ(scanned(kIso, 0, "%*d%n", &count), List{});
  EXPECT_EQ(scanned(kIso, -1, "%n%d", &count, &number), List{});
}

TEST(ScanfAccesses, KnowsPositions) {
  int first = 0;
  char second[4] = "x";
  EXPECT_EQ(scanned(kIso, 2, "%2$s %1$d", &first, second), (List{{second, 2, true}, {&first, 4, true}}));
  EXPECT_EQ(scanned(kIso, 1, "%70$d", &first), List{});
}

// What is told of a scan lies within what libc changed, and what libc changed is told.
TEST(ScanfAccesses, AgreesWithLibc) {
  const char* inputs[] = {"12 34 word", "12", "", "x", "12 word", "7,8,9", "-1 0x1f 3.5e2"};
  const char* formats[] = {"%d %d %4s", "%d,%d,%d", "%hhd %hx %f", "%n%d%n", "%c %n%d", "%[0-9] %[a-z]"};
  for (const char* input : inputs) {
    for (const char* format : formats) {
      // Buffers that differ in every byte from what any conversion stores there twice in a row.
      unsigned char room[2][3][32];
      int result[2];
      for (int i = 0; i < 2; ++i) {
        std::memset(room[i], i == 0 ? 0xa5 : 0x5a, sizeof room[i]);
        result[i] = sscanf(input, format, room[i][0], room[i][1], room[i][2]);
      }
      ASSERT_EQ(result[0], result[1]);
      const List told = scanned(kIso, result[0], format, room[0][0], room[0][1], room[0][2]);
      for (int target = 0; target < 3; ++target) {
        for (std::size_t byte = 0; byte < 32; ++byte) {
          const bool changed = room[0][target][byte] != 0xa5 || room[1][target][byte] != 0x5a;
          const unsigned char* at = &room[0][target][byte];
          bool is_told = false;
          for (const Told& t : told)
            is_told =
                is_told || (at >= t.memory && at < static_cast<const unsigned char*>(t.memory) + t.bytes);
          EXPECT_TRUE(!is_told || changed) << '"' << input << "\" by \"" << format << "\", target " << target;
          // %n behind text that may not have matched is left out.
          if (std::strchr(format, 'n') == nullptr) {
            EXPECT_EQ(is_told, changed) << '"' << input << "\" by \"" << format << "\", target " << target;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::abi
