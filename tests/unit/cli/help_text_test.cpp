#include "tool/cli/help_text.h"

#include <gtest/gtest.h>

#include "tool/report/escape.h"

namespace heddle::cli {
namespace {

CommandPage page_with(std::size_t options) {
  CommandPage page;
  page.name = "try";
  page.usage = "heddle try";
  page.description = "Tries something. It takes long.\n\nAnother paragraph.";
  page.footer =
      "examples:\n  heddle try a      the first\n  heddle try b      the second\n\nexit codes: 0 done";
  page.positionals.push_back({{"file"}, "FILE", "what to try", {}});
  for (std::size_t i = 0; i < options; ++i)
    page.options.push_back(
        {{"-" + std::string(1, static_cast<char>('a' + i)), "--option-" + std::to_string(i)},
         "N",
         "what option " + std::to_string(i) + " means",
         {}});
  return page;
}

void expect_to_fit(const std::string& text, std::size_t most_lines) {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const std::size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos) << "the last line has no end";
    EXPECT_LE(report::width_of(text.substr(at, end - at)), kScreenWidth) << text.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_LE(lines, most_lines) << text;
}

TEST(HelpText, AShortPageIsShownWhole) {
  const CommandPage page = page_with(2);
  EXPECT_EQ(everyday_help(page, "-a"), whole_help(page));
  EXPECT_EQ(whole_help(page), R"(usage: heddle try [options] FILE

Tries something. It takes long.

Another paragraph.

arguments:
  FILE  what to try

options:
  -a, --option-0 N  what option 0 means
  -b, --option-1 N  what option 1 means

examples:
  heddle try a      the first
  heddle try b      the second

exit codes: 0 done
)");
}

TEST(HelpText, OfALongPageTheEverydayOptionsAreShown) {
  const CommandPage page = page_with(26);
  const std::string text = everyday_help(page, "-b --option-25");
  expect_to_fit(text, kScreenLines);
  EXPECT_NE(text.find("--option-1 "), std::string::npos);
  EXPECT_NE(text.find("-z, --option-25"), std::string::npos);
  EXPECT_EQ(text.find("--option-2 "), std::string::npos);
  EXPECT_EQ(text.find("It takes long"), std::string::npos);
  EXPECT_NE(text.find("`heddle try --help-all`"), std::string::npos);
  // Nobody has said which ones are everyday: the first.
  const std::string first = everyday_help(page, "");
  expect_to_fit(first, kScreenLines);
  EXPECT_NE(first.find("--option-0"), std::string::npos);
  EXPECT_NE(first.find("heddle try a"), std::string::npos);
  expect_to_fit(whole_help(page), 100);
}

TEST(HelpText, LongTextsAreBrokenBetweenWords) {
  CommandPage page = page_with(1);
  page.options[0].text =
      "a text of many words, with `a command that is copied as it is` in the middle, which is not broken "
      "there, "
      "and\na line that was broken before";
  page.options.push_back({{"--with-a-name-that-is-much-too-long"}, "SOMETHING", "its meaning", {}});
  page.options.push_back({{"--color"}, "WHEN", "whether", {"auto", "always", "never"}});
  page.footer = "examples:\n  heddle try --with-a-name-that-is-much-too-long=5 file      " +
                std::string("a comment that has no space beside it");
  const std::string text = whole_help(page);
  expect_to_fit(text, 100);
  EXPECT_NE(text.find("`a command that is copied as it is`"), std::string::npos) << text;
  EXPECT_NE(text.find("--with-a-name-that-is-much-too-long SOMETHING\n"), std::string::npos) << text;
  EXPECT_NE(text.find("--color auto|always|never"), std::string::npos) << text;
  EXPECT_NE(text.find("=5 file\n      a comment"), std::string::npos) << text;
}

}  // namespace
}  // namespace heddle::cli
