// CGVT's Algorithm 1 on the paper's two examples, with a CHECK that knows which clients are buggy.
#include "tool/linearize/localize.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tool/linearize/minimum_test.h"
#include "tool/linearize/picture.h"

namespace heddle::linearize {
namespace {

using lin::Client;
using lin::Step;

bool has(const lin::Steps& steps, const std::string& text) {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const Step& step) { return lin::text_of(step) == text; });
}

// Every operation of the client in one order, each alone but for those of the threads, which all overlap; the
// last operation is the one that cannot be placed.
ObservedHistory history_of(const Client& client) {
  ObservedHistory history;
  history.object = "Object";
  history.source = "/test.cpp";
  history.client = client;
  Position now = 0;
  const auto alone = [&](const lin::Steps& steps) {
    for (const Step& step : steps) {
      history.operations.push_back({step, 0, "true", now, now + 1});
      now += 2;
    }
  };
  alone(client.first);
  for (std::uint32_t i = 0; i < client.threads.size(); ++i) {
    for (const Step& step : client.threads[i]) {
      history.operations.push_back({step, i + 1, "true", now, now + 1});
      now += 2;
    }
  }
  alone(client.last);
  history.prefix = now;
  history.violating = static_cast<OperationIndex>(history.operations.size() - 1);
  history.involved = {history.violating};
  for (OperationIndex i = 0; i < history.violating; ++i) history.order.push_back(i);
  return history;
}

template <typename IsBuggy>
std::optional<Localized> localize_where(const std::string& client, const IsBuggy& is_buggy) {
  Violated found;
  found.history = history_of(*Client::parse(client));
  return localize(found, [&](const Client& tried, const std::vector<Choice>&, Effort) {
    Checked checked;
    if (is_buggy(tried)) checked.violated.emplace().history = history_of(tried);
    return checked;
  });
}

// Fig. 4: two additions at the same time lose one of them, which a later look-up reveals.
bool loses_eight(const Client& client) {
  bool eight = false, nine = false;
  for (const lin::Steps& steps : client.threads) {
    if (has(steps, "add(8)")) eight = true;
    if (has(steps, "add(9)") && !has(steps, "add(8)")) nine = true;
  }
  bool looked = has(client.last, "contains(8)");
  for (const lin::Steps& steps : client.threads)
    looked = looked || (!steps.empty() && steps.back().method == "contains");
  return eight && nine && looked;
}

TEST(Localize, RevealedLater) {
  const auto localized = localize_where(
      "add(7); add(10) / add(1); add(8); remove(1) | add(2); add(9); contains(3); contains(8) / ",
      loses_eight);
  ASSERT_TRUE(localized);
  EXPECT_EQ(localized->violated.history.client.text(), " / add(8) | add(9) / contains(8)");
  EXPECT_TRUE(localized->revealed_later);
}

// Fig. 2: the reader meets four writes; without any of them it is right.
TEST(Localize, RevealedAtOnce) {
  const auto localized = localize_where(
      "write(0, 1); write(1, 1) / write(1, 3); write(0, 2); write(1, 2); write(1, 1); write(0, 1) | read / ",
      [](const Client& client) {
        bool writes = false, reads = false;
        for (const lin::Steps& steps : client.threads) {
          reads = reads || has(steps, "read");
          writes = writes || (has(steps, "write(0, 2)") && has(steps, "write(1, 2)") &&
                              has(steps, "write(1, 1)") && has(steps, "write(0, 1)"));
        }
        return writes && reads;
      });
  ASSERT_TRUE(localized);
  EXPECT_EQ(concurrent_operations(localized->violated.history.client), 5u);
  EXPECT_FALSE(localized->revealed_later);
  const std::string source = minimum_test_source(*localized);
  EXPECT_NE(source.find("client.call(\"write\", {0, 2});"), std::string::npos);
  EXPECT_NE(source.find("#include \"/test.cpp\""), std::string::npos);
  EXPECT_NE(history_svg(localized->violated.history).find("class=\"violating\""), std::string::npos);
}

// Two dequeues at the same time take one value. A client with more of them than values would wait for ever.
TEST(Localize, ClientsThatWouldWaitForEverAreNotTried) {
  Violated found;
  found.history = history_of(*Client::parse("enq(1) / enq(2); deq; enq(3) | enq(4); deq; deq / deq"));
  found.history.needs = {{"deq", "enq"}};
  const auto count = [](const lin::Steps& steps, const std::string& method) {
    return std::count_if(steps.begin(), steps.end(), [&](const Step& s) { return s.method == method; });
  };
  const auto localized = localize(found, [&](const Client& tried, const std::vector<Choice>&, Effort) {
    auto spare = count(tried.first, "enq") - count(tried.first, "deq");
    std::ptrdiff_t taking = 0;
    for (const lin::Steps& steps : tried.threads) {
      spare += count(steps, "enq") - count(steps, "deq");
      taking += count(steps, "deq") != 0 ? 1 : 0;
    }
    EXPECT_GE(spare, 0) << tried.text();
    EXPECT_GE(spare + count(tried.last, "enq") - count(tried.last, "deq"), 0) << tried.text();
    Checked checked;
    if (taking >= 2) checked.violated.emplace().history = history_of(tried);
    return checked;
  });
  ASSERT_TRUE(localized);
  EXPECT_EQ(concurrent_operations(localized->violated.history.client), 2u);
}

TEST(Localize, NothingWhereTheFaultDoesNotShowAgain) {
  EXPECT_FALSE(localize_where("/ add(1) | add(2) /", [](const Client&) { return false; }));
}

TEST(Client, TextIsReadBack) {
  for (const std::string text : {" /  / ", "a; b(1) / c(-2, 3) | d; e / f", " / x | y | z / "}) {
    const auto client = Client::parse(text);
    ASSERT_TRUE(client) << text;
    EXPECT_EQ(client->text(), text);
  }
  for (const char* text :
       {"", "a / b", "a / b / c / d", "a(", "a(1", "a(x) / / ", "a | b / c / d", "(1) / /"})
    EXPECT_FALSE(Client::parse(text)) << text;
}

}  // namespace
}  // namespace heddle::linearize
