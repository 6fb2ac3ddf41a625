// Files: what is accepted, and that bad ones are refused by their line.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/mutated.h"
#include "tool/linearize/check_history.h"
#include "tool/linearize/explain.h"
#include "tool/linearize/read_history.h"

namespace heddle::linearize {
namespace {

Result<NamedHistory> read(const std::string& text, const std::string& object) {
  std::istringstream input(text);
  return read_history(input, *find_object(object));
}

std::string error_of(const std::string& text, const std::string& object = "queue") {
  const auto history = read(text, object);
  return history ? "none" : history.error().message;
}

const std::string kEnq = R"({"type":"invoke","op":1,"thread":0,"method":"enq","args":[3]})"
                         "\n";
const std::string kReturn = R"({"type":"return","op":1,"result":null})"
                            "\n";

TEST(ReadHistory, BadLinesAreNamed) {
  EXPECT_EQ(error_of(kReturn).substr(0, 8), "line 1: ");
  EXPECT_NE(error_of(kReturn).find("never invoked"), std::string::npos);
  EXPECT_NE(error_of(kEnq + kEnq).find("line 2: operation 1 was invoked in line 1"), std::string::npos);
  EXPECT_NE(error_of(kEnq + kReturn + kReturn).find("line 3: operation 1 returned in line 2"),
            std::string::npos);
  EXPECT_NE(error_of(kEnq + kReturn + kEnq).find("line 3: "), std::string::npos);
  EXPECT_NE(error_of(kEnq, "stack").find("line 1: a stack has no method \"enq\""), std::string::npos);
  EXPECT_NE(error_of(kEnq + kReturn.substr(0, 20)).find("line 2: this is no JSON"), std::string::npos);
  EXPECT_NE(error_of(kEnq + R"({"type":"return","op":1,"result":[]})").find("line 2: "), std::string::npos);
  EXPECT_NE(error_of(R"({"type":"invoke","op":1,"method":"enq","args":[]})").find("1 argument"),
            std::string::npos);
  EXPECT_NE(error_of("").find("no event"), std::string::npos);
  EXPECT_NE(error_of("INFO  jepsen.util - 0 :invoke :enqueue 3\nINFO  jepsen.util - 1 :ok :dequeue 3")
                .find("line 2: "),
            std::string::npos);
  EXPECT_NE(error_of("INFO  jepsen.util - 0 :inv").find("line 1: "), std::string::npos);
}

// Two values of a file are one only if they are written alike.
TEST(ReadHistory, HugeNumbers) {
  const auto verdict = [](const std::string& first, const std::string& second) {
    const std::string write = R"({"type":"invoke","op":1,"method":"write","args":[)" + first +
                              R"(]})"
                              "\n"
                              R"({"type":"return","op":1,"result":null})"
                              "\n";
    const std::string look = R"({"type":"invoke","op":2,"method":"read"})"
                             "\n"
                             R"({"type":"return","op":2,"result":)" +
                             second + "}\n";
    const auto history = read(write + look, "register");
    return history ? check_history(*history, {}).verdict : Verdict::kUnknown;
  };
  EXPECT_EQ(verdict("18446744073709551615", "18446744073709551615"), Verdict::kLinearizable);
  EXPECT_EQ(verdict("18446744073709551615", "-1"), Verdict::kNotLinearizable);
  EXPECT_EQ(verdict("-4611686018427387904", "\"word\""), Verdict::kNotLinearizable);
  EXPECT_NE(error_of(R"({"type":"invoke","op":1,"method":"insert","args":[18446744073709551615]})",
                     "priority-queue")
                .find("line 1: "),
            std::string::npos);
  EXPECT_NE(error_of(R"({"type":"invoke","op":1,"method":"enq","args":[1e400]})").find("line 1: "),
            std::string::npos);
}

// Ten thousand bad files: an answer about each, and no other end.
TEST(ReadHistory, MutatedFiles) {
  const std::string jepsen =
      "INFO  jepsen.util - 0 :invoke :write 3\nINFO  jepsen.util - 1 :invoke :cas [3 4]\n"
      "INFO  jepsen.util - 0 :ok :write 3\nINFO  jepsen.util - 1 :info :cas :timed-out\n";
  const std::string lines = kEnq + R"({"type":"invoke","op":"b","thread":1,"method":"deq"})" + "\n" +
                            kReturn + R"({"type":"return","op":"b","result":"empty"})" + "\n";
  Random random(3);
  int refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    const bool is_jepsen = i % 2 == 0;
    const std::string text = mutated(is_jepsen ? jepsen : lines, random);
    const auto history = read(text, is_jepsen ? "register" : "queue");
    if (history) {
      static_cast<void>(check_history(*history, {}));
      continue;
    }
    ++refused;
    ASSERT_EQ(history.error().code, ExitCode::kBadInput);
    ASSERT_TRUE(history.error().message.starts_with("line ") ||
                history.error().message.starts_with("there is"))
        << history.error().message;
  }
  EXPECT_GT(refused, 5000);
}

// As deep as a stack is not.
TEST(ReadHistory, NestedValues) {
  const std::string open(200'000, '[');
  const std::string close(200'000, ']');
  EXPECT_NE(
      error_of(R"({"type":"invoke","op":1,"method":"enq","args":[)" + open + close + "]}").find("line 1: "),
      std::string::npos);
  EXPECT_NE(error_of("INFO  jepsen.util - 0 :invoke :write " + open + close, "register").find("line 1: "),
            std::string::npos);
}

TEST(ReadHistory, JepsenLogs) {
  const std::string log =
      "INFO  jepsen.core - starting\n"
      "INFO  jepsen.util - 0 :invoke :write 3\n"
      "INFO  jepsen.util - :nemesis :info :start nil\n"
      "INFO  jepsen.util - 1 :invoke :read nil\n"
      "INFO  jepsen.util - 1 :ok :read nil\n"
      "INFO  jepsen.util - 0 :info :write :timed-out\n"
      "INFO  jepsen.util - 1 :invoke :cas [4 5]\n"
      "INFO  jepsen.util - 1 :fail :cas [4 5]\n"
      "INFO  jepsen.util - 1 :invoke :read nil\n";
  const auto fine = read(log + "INFO  jepsen.util - 1 :ok :read 3\n", "register");
  ASSERT_TRUE(fine) << fine.error().message;
  EXPECT_EQ(fine->history.operations().size(), 3u);
  EXPECT_EQ(check_history(*fine, {}).verdict, Verdict::kLinearizable);
  const auto wrong = read(log + "INFO  jepsen.util - 1 :ok :read 5\n", "register");
  ASSERT_TRUE(wrong);
  const Answer answer = check_history(*wrong, {});
  EXPECT_EQ(answer.verdict, Verdict::kNotLinearizable);
  EXPECT_NE(explain(*wrong, answer, false).find("read → 5"), std::string::npos);
}

TEST(Explain, JsonHasTheIdsOfTheFile) {
  const auto named = read(kEnq + kReturn +
                              R"({"type":"invoke","op":"x","method":"deq"})"
                              "\n"
                              R"({"type":"return","op":"x","result":"empty"})",
                          "queue");
  ASSERT_TRUE(named) << named.error().message;
  const auto json = nlohmann::json::parse(explain_json(*named, check_history(*named, {})));
  EXPECT_EQ(json["verdict"], "not linearizable");
  EXPECT_EQ(json["violation"]["operation"], "x");
  EXPECT_EQ(json["violation"]["prefix_events"], 4);
}

}  // namespace
}  // namespace heddle::linearize
