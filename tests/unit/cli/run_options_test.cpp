#include "tool/cli/run_options.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heddle::cli {
namespace {

using Words = std::vector<std::string>;
constexpr int kBadInput = static_cast<int>(ExitCode::kBadInput);

class RunOptionsTest : public testing::Test {
 protected:
  RunOptionsTest() { unsetenv("HEDDLE_OPTIONS"); }
  ~RunOptionsTest() override { unsetenv("HEDDLE_OPTIONS"); }
  static RunOptions parse(const Words& words) {
    RunOptions options;
    const auto code = parse_run_options(words, options);
    EXPECT_FALSE(code.has_value()) << "ended with " << *code;
    return options;
  }
  static std::optional<int> ends_with(const Words& words) {
    RunOptions options;
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    const auto code = parse_run_options(words, options);
    message = testing::internal::GetCapturedStderr();
    testing::internal::GetCapturedStdout();
    return code;
  }
  static inline std::string message;
};

TEST_F(RunOptionsTest, Defaults) {
  const RunOptions options = parse({"./program"});
  EXPECT_EQ(options.program, Words{"./program"});
  EXPECT_FALSE(options.campaign.executions.has_value());
  EXPECT_EQ(options.campaign.seconds, 60);
  EXPECT_EQ(options.campaign.max_failures, 1u);
  EXPECT_EQ(options.campaign.spec.timeout_ns, 10'000'000'000u);
  EXPECT_EQ(options.campaign.spec.memory_limit, 512u << 20);
  EXPECT_EQ(options.campaign.spec.model, ModelKind::kCxx20);
  EXPECT_EQ(options.campaign.output_directory, "heddle-out");
  EXPECT_EQ(options.bug_exit_code, 66);
}

TEST_F(RunOptionsTest, OptionsOfTheProgramStayTheProgramsOwn) {
  for (const Words& words : {Words{"-n", "5", "--", "./program", "-n", "7", "--", "--json"},
                             Words{"-n", "5", "./program", "-n", "7", "--", "--json"},
                             Words{"-n5", "./program", "-n", "7", "--", "--json"},
                             Words{"--executions=5", "--", "./program", "-n", "7", "--", "--json"}}) {
    const RunOptions options = parse(words);
    EXPECT_EQ(options.campaign.executions, 5u);
    EXPECT_EQ(options.program, (Words{"./program", "-n", "7", "--", "--json"}));
  }
}

TEST_F(RunOptionsTest, ProgramThatLooksLikeAnOption) {
  EXPECT_EQ(parse({"--", "-n"}).program, Words{"-n"});
  EXPECT_EQ(parse({"--", "--"}).program, Words{"--"});
}

TEST_F(RunOptionsTest, EveryKindOfValue) {
  const RunOptions options = parse({"--seed",
                                    "18446744073709551615",
                                    "-t",
                                    "5m",
                                    "-j",
                                    "3",
                                    "--timeout",
                                    "250ms",
                                    "--memory-limit",
                                    "1G",
                                    "--model",
                                    "sc",
                                    "--volatile",
                                    "acqrel",
                                    "--max-failures",
                                    "0",
                                    "--max-steps",
                                    "99",
                                    "--allow-exit",
                                    "3",
                                    "--allow-exit",
                                    "4",
                                    "-o",
                                    "out",
                                    "--json",
                                    "-",
                                    "--histogram",
                                    "-q",
                                    "./p"});
  EXPECT_EQ(options.campaign.spec.seed, ~0ull);
  EXPECT_EQ(options.campaign.seconds, 300);
  EXPECT_EQ(options.campaign.jobs, 3u);
  EXPECT_EQ(options.campaign.spec.timeout_ns, 250'000'000u);
  EXPECT_EQ(options.campaign.spec.memory_limit, 1u << 30);
  EXPECT_EQ(options.campaign.spec.model, ModelKind::kSc);
  EXPECT_EQ(options.campaign.spec.volatile_kind, VolatileKind::kAcqRel);
  EXPECT_EQ(options.campaign.max_failures, 0u);
  EXPECT_EQ(options.campaign.spec.max_steps, 99u);
  EXPECT_EQ(options.campaign.allowed_exits, (std::vector<int>{3, 4}));
  EXPECT_EQ(options.campaign.output_directory, "out");
  EXPECT_EQ(options.reports.json, "-");
  EXPECT_TRUE(options.histogram);
  EXPECT_TRUE(options.quiet);
}

TEST_F(RunOptionsTest, TrustedLibrariesGoToTheRuntimeLineByLine) {
  const RunOptions options = parse({"--trust-library", "tbb", "--trust-library=^libabsl", "./p"});
  EXPECT_STREQ(options.campaign.spec.trusted_libraries, "tbb\n^libabsl");
}

TEST_F(RunOptionsTest, ExecutionsReplaceTheTimeLimitUnlessBothAreGiven) {
  EXPECT_EQ(parse({"-n", "9", "./p"}).campaign.seconds, 0);
  const RunOptions both = parse({"-n", "9", "-t", "2s", "./p"});
  EXPECT_EQ(both.campaign.executions, 9u);
  EXPECT_EQ(both.campaign.seconds, 2);
}

TEST_F(RunOptionsTest, NoMoreWorkersThanExecutions) {
  EXPECT_EQ(parse({"-n", "2", "-j", "8", "./p"}).campaign.jobs, 2u);
}

TEST_F(RunOptionsTest, SeedsOfTheSystemDiffer) {
  EXPECT_NE(parse({"./p"}).campaign.spec.seed, parse({"./p"}).campaign.spec.seed);
}

TEST_F(RunOptionsTest, Pruning) {
  EXPECT_EQ(parse({"./p"}).campaign.spec.prune, PruneKind::kWindow);
  EXPECT_EQ(parse({"./p"}).campaign.spec.prune_window, 0u);  // the model's own default
  EXPECT_EQ(parse({"--prune", "window:7", "./p"}).campaign.spec.prune_window, 7u);
  EXPECT_EQ(parse({"--prune", "conservative", "./p"}).campaign.spec.prune, PruneKind::kConservative);
  const RunSpec aggressive = parse({"--prune", "aggressive:100", "./p"}).campaign.spec;
  EXPECT_EQ(aggressive.prune, PruneKind::kAggressive);
  EXPECT_EQ(aggressive.prune_window, 100u);
  EXPECT_EQ(parse({"--prune", "aggressive", "./p"}).campaign.spec.prune_window, 0u);
}

TEST_F(RunOptionsTest, AnExhaustiveSearchHasOneWorker) {
  EXPECT_EQ(parse({"-s", "exhaustive", "-j", "4", "./p"}).campaign.jobs, 1u);
}

TEST_F(RunOptionsTest, BadCommandLinesAreToldApart) {
  for (const auto& [words, told] : {std::pair{Words{}, "No program"},
                                    {Words{"-n", "5", "--"}, "No program"},
                                    {Words{"--no-such", "./p"}, "--no-such"},
                                    {Words{"-n", "many", "./p"}, "many"},
                                    {Words{"-n", "0", "./p"}, "executions"},
                                    {Words{"-n", "-3", "./p"}, "executions"},
                                    {Words{"-t", "soon", "./p"}, "soon"},
                                    {Words{"--model", "tso", "./p"}, "tso"},
                                    {Words{"-s", "magic", "./p"}, "magic"},
                                    {Words{"-j", "0", "./p"}, "jobs"},
                                    {Words{"--seed", "-1", "./p"}, "seed"},
                                    {Words{"--memory-limit", "lots", "./p"}, "lots"},
                                    {Words{"--prune", "never", "./p"}, "never"},
                                    {Words{"--prune", "window:0", "./p"}, "window:0"},
                                    {Words{"--prune", "window:", "./p"}, "window:"},
                                    {Words{"--prune", "conservative:3", "./p"}, "conservative:3"},
                                    {Words{"-n"}, "executions"}}) {
    EXPECT_EQ(ends_with(words), kBadInput) << told;
    EXPECT_NE(message.find(told), std::string::npos) << message;
  }
}

TEST_F(RunOptionsTest, StrategiesThatAreNearAreNamed) {
  for (const auto& [strategy, told] :
       {std::pair{"pcd", "there is no strategy 'pcd'. Did you mean 'pct'?"},
        {"exhaustiv:stale=1", "Did you mean 'exhaustive'?"},
        {"pct:dd=3", "the strategy 'pct' has no parameter 'dd'. It has d, k, once."},
        {"pct:d=3,onec=1", "no parameter 'onec'. Did you mean 'once'?"},
        {"pos:d=3", "the strategy 'pos' has no parameter 'd'. It has none."},
        {"pct:d=99", "from 1 to 64, not '99'"},
        {"pct:d", "No value for the parameter 'd'"}}) {
    EXPECT_EQ(ends_with({"-s", strategy, "./p"}), kBadInput) << strategy;
    EXPECT_NE(message.find(told), std::string::npos) << message;
    EXPECT_NE(message.find("heddle help strategies"), std::string::npos) << message;
  }
}

TEST_F(RunOptionsTest, OptionsBehindTheProgramAreTold) {
  EXPECT_EQ(ends_with({"./p", "-n", "7"}), std::nullopt);
  EXPECT_NE(message.find("-n stands behind ./p"), std::string::npos) << message;
  EXPECT_EQ(ends_with({"--", "./p", "-n", "7"}), std::nullopt);
  EXPECT_EQ(message, "");
  EXPECT_EQ(ends_with({"./p", "--port", "7", "--", "-n"}), std::nullopt);
  EXPECT_EQ(message, "");
}

TEST_F(RunOptionsTest, HelpEndsWell) {
  EXPECT_EQ(ends_with({"--help"}), 0);
  EXPECT_EQ(ends_with({"-h", "./p"}), 0);
  EXPECT_EQ(parse({"./p", "--help"}).program, (Words{"./p", "--help"}));
}

TEST_F(RunOptionsTest, VariableGivesDefaultsThatTheCommandLineOverrides) {
  setenv("HEDDLE_OPTIONS", "seed=7:executions=100:max-failures=3", 1);
  EXPECT_EQ(parse({"./p"}).campaign.spec.seed, 7u);
  const RunOptions options = parse({"--seed", "8", "-n", "5", "./p"});
  EXPECT_EQ(options.campaign.spec.seed, 8u);
  EXPECT_EQ(options.campaign.executions, 5u);
  EXPECT_EQ(options.campaign.max_failures, 3u);
}

TEST_F(RunOptionsTest, VariableWithMistakeIsABadCommandLine) {
  setenv("HEDDLE_OPTIONS", "sede=7", 1);
  EXPECT_EQ(ends_with({"./p"}), kBadInput);
  EXPECT_NE(message.find("'--sede'. Did you mean '--seed'?"), std::string::npos) << message;
  EXPECT_NE(message.find("HEDDLE_OPTIONS=\"sede=7\""), std::string::npos) << message;
}

TEST_F(RunOptionsTest, NamesOfThreadSanitizer) {
  setenv("HEDDLE_OPTIONS", "halt_on_error=0 exitcode=5 verbosity=1 strip_path_prefix=/src color=always", 1);
  const RunOptions options = parse({"./p"});
  EXPECT_EQ(options.campaign.max_failures, 0u);
  EXPECT_EQ(options.bug_exit_code, 5);
  EXPECT_TRUE(options.verbose);
  EXPECT_EQ(options.strip_path_prefix, "/src");
  EXPECT_EQ(options.color, ColorWish::kAlways);
}

TEST(OptionVariable, Words) {
  EXPECT_EQ(words_of_option_variable(""), Words{});
  EXPECT_EQ(words_of_option_variable("seed=1:max_failures=2"), (Words{"--seed=1", "--max-failures=2"}));
  EXPECT_EQ(words_of_option_variable(":: histogram :"), Words{"--histogram"});
  EXPECT_EQ(words_of_option_variable("strategy='pct:d=3':output=\"a b\""),
            (Words{"--strategy=pct:d=3", "--output=a b"}));
}

}  // namespace
}  // namespace heddle::cli
