#include "tool/cli/command_words.h"

#include <gtest/gtest.h>

#include "tool/cli/value_checks.h"

namespace heddle::cli {
namespace {

using Words = std::vector<std::string>;

// A command with an option of each kind.
struct Command {
  Command() {
    app.footer("examples:\n  heddle try file      what it is\n");
    app.add_option("file", file, "what to try")->required()->type_name("FILE");
    app.add_option("-n,--number", number, "how often")->type_name("N")->check(whole_number(1, 100));
    app.add_option("--kind", kind, "which one")->type_name("KIND")->check(one_of({"first", "second"}));
    app.add_option("-t,--time", time, "how long")->type_name("D")->check(duration());
    app.add_option("--name", names, "may be repeated")->type_name("NAME")->take_all();
    app.add_flag("-q,--quiet", quiet, "say nothing");
    app.add_flag("-v,--verbose", verbose, "say more")->excludes("--quiet");
    app.add_flag("--secret", secret, "for nobody")->group("");
  }
  // What is said about the words; "" if they were taken.
  std::string wrong(const Words& words) {
    const auto wish = take_words(app, words);
    return wish ? "" : wish.error().message;
  }

  CLI::App app{"Tries something.", "heddle try [options] FILE"};
  std::string file, kind, time;
  Words names;
  int number = 0;
  bool quiet = false, verbose = false, secret = false;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(TakeWords, EveryWayToWriteAValue) {
  for (const Words& words : {Words{"-n", "5", "x"}, Words{"-n5", "x"}, Words{"--number", "5", "x"},
                             Words{"--number=5", "x"}, Words{"x", "-n", "5"}, Words{"-qn5", "x"},
                             Words{"-n", "5", "--", "x"}, Words{"-n", "7", "-n", "5", "x"}}) {
    Command command;
    command.app.get_option("--number")->take_last();
    EXPECT_EQ(command.wrong(words), "");
    EXPECT_EQ(command.number, 5);
    EXPECT_EQ(command.file, "x");
  }
}

TEST(TakeWords, AnOptionThatMayBeRepeatedTakesOneWordEachTime) {
  Command command;
  EXPECT_EQ(command.wrong({"--name", "a", "--name", "[b]", "x"}), "");
  EXPECT_EQ(command.names, (Words{"a", "[b]"}));
  EXPECT_EQ(command.file, "x");
}

TEST(TakeWords, AValueMayLookLikeAnOption) {
  Command command;
  EXPECT_EQ(command.wrong({"--name", "-5", "--name=--quiet", "x"}), "");
  EXPECT_EQ(command.names, (Words{"-5", "--quiet"}));
  EXPECT_FALSE(command.quiet);
}

TEST(TakeWords, UnknownOptions) {
  EXPECT_TRUE(contains(Command().wrong({"--nmuber", "5", "x"}),
                       "`heddle try` has no option '--nmuber'. Did you mean '--number'?"));
  EXPECT_TRUE(contains(Command().wrong({"--nmuber=5", "x"}), "'--nmuber'. Did you mean '--number'?"));
  EXPECT_TRUE(contains(Command().wrong({"-number", "5", "x"}), "'-number'. Did you mean '--number'?"));
  EXPECT_TRUE(contains(Command().wrong({"-N", "5", "x"}), "'-N'. Did you mean '-n'?"));
  EXPECT_TRUE(contains(Command().wrong({"-qx", "x"}), "no option '-x'"));
  EXPECT_TRUE(contains(Command().wrong({"--zebra", "x"}), "`heddle try --help` explains it."));
  // What is for nobody is not offered.
  EXPECT_FALSE(contains(Command().wrong({"--secre", "x"}), "--secret"));
}

TEST(TakeWords, ValuesThatAreMissing) {
  for (const Words& words : {Words{"x", "-n"}, Words{"-n", "-q", "x"}, Words{"-n", "--", "x"},
                             Words{"-n", "--name=a", "x"}, Words{"-q", "x", "-vn"}}) {
    const std::string wrong = Command().wrong(words);
    EXPECT_TRUE(contains(wrong, "-n needs a value behind it.")) << wrong;
    EXPECT_TRUE(contains(wrong, "-n, --number N: how often.")) << wrong;
  }
  EXPECT_TRUE(contains(Command().wrong({"--kind=", "x"}), "--kind needs a value behind it."));
  EXPECT_TRUE(contains(Command().wrong({"x", "--kind"}), "--kind first|second: which one."));
}

TEST(TakeWords, ValuesThatAreWrong) {
  for (const auto& [value, told] :
       {std::pair{"0", "-n: 0 is too small; the smallest number here is 1."},
        {"-3", "-n: -3 is too small; the smallest number here is 1."},
        {"101", "-n: 101 is too large; the largest number here is 100."},
        {"18446744073709551616", "is too large"},
        {"99999999999999999999999999999", "is too large"},
        {"0x1p", "'0x1p' is no whole number"},
        {"many", "-n: 'many' is no whole number. Write one from 1 on, in digits."},
        {"1.5", "'1.5' is no whole number"},
        {"1e3", "'1e3' is no whole number"},
        {"1,000", "Write it without separators: 1000."},
        {"010", "begins with a 0"},
        {"-", "'-' is no whole number"}}) {
    const std::string wrong = Command().wrong({"-n", value, "x"});
    EXPECT_TRUE(contains(wrong, told)) << wrong;
    EXPECT_TRUE(contains(wrong, "-n, --number N: how often.")) << wrong;
  }
  EXPECT_TRUE(contains(Command().wrong({"--kind", "frist", "x"}),
                       "--kind: 'frist' is none of first, second. Did you mean 'first'?"));
  EXPECT_TRUE(contains(Command().wrong({"-t", "soon", "x"}), "-t: 'soon' is no duration."));
  EXPECT_TRUE(contains(Command().wrong({"--quiet=often", "x"}), "--quiet takes no value."));
}

TEST(TakeWords, NumbersInHexadecimals) {
  Command command;
  EXPECT_EQ(command.wrong({"-n", "0x1F", "x"}), "");
  EXPECT_EQ(command.number, 31);
}

TEST(TakeWords, WordsThatAreMissingOrTooMany) {
  EXPECT_TRUE(contains(Command().wrong({}), "No file given. For example:\nheddle try file\n"))
      << Command().wrong({});
  EXPECT_TRUE(contains(Command().wrong({"a", "b"}), "'b' is one word too many."));
}

TEST(TakeWords, OptionsThatDoNotGoTogether) {
  EXPECT_TRUE(contains(Command().wrong({"-qv", "x"}), "-q and --verbose cannot be used together."));
}

TEST(TakeWords, Help) {
  for (const auto& [word, wish] : {std::pair{"--help", HelpWish::kEveryday},
                                   {"-h", HelpWish::kEveryday},
                                   {"--help-all", HelpWish::kAll},
                                   {"x", HelpWish::kNone}}) {
    Command command;
    EXPECT_EQ(*take_words(command.app, {word}), wish) << word;
  }
}

TEST(TakeWords, CommandsOfCommands) {
  CLI::App app("", "heddle try");
  app.require_subcommand(1);
  CLI::App* sub = app.add_subcommand("check", "");
  int number = 0;
  sub->add_option("--number", number, "how often")->type_name("N")->check(whole_number());
  EXPECT_TRUE(contains(take_words(app, {"chek"}).error().message,
                       "`heddle try` has no command 'chek'. Did you mean 'check'?"));
  EXPECT_TRUE(contains(take_words(app, {}).error().message, "`heddle try` needs a command after it."));
  const std::string wrong = take_words(app, {"check", "--numbr", "5"}).error().message;
  EXPECT_TRUE(contains(wrong, "`heddle try check` has no option '--numbr'. Did you mean '--number'?"))
      << wrong;
  EXPECT_TRUE(take_words(app, {"check", "--number", "5"}));
  EXPECT_EQ(number, 5);
}

TEST(CountOptionWords, StopsAtTheProgram) {
  Command command;
  EXPECT_EQ(count_option_words(command.app, {"-n", "5", "./p", "-n", "7"}), 2u);
  EXPECT_EQ(count_option_words(command.app, {"-qn", "5", "--", "./p"}), 2u);
  EXPECT_EQ(count_option_words(command.app, {"-n5", "./p"}), 1u);
  EXPECT_EQ(count_option_words(command.app, {"--number=5", "./p"}), 1u);
  EXPECT_EQ(count_option_words(command.app, {"--number", "--", "./p"}), 1u);
  EXPECT_EQ(count_option_words(command.app, {"-n", "-q", "./p"}), 2u);
  EXPECT_EQ(count_option_words(command.app, {"./p"}), 0u);
  EXPECT_EQ(count_option_words(command.app, {"-"}), 0u);
}

}  // namespace
}  // namespace heddle::cli
