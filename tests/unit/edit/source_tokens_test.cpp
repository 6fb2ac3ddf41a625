#include "tool/edit/source_tokens.h"

#include <gtest/gtest.h>

namespace heddle::edit {
namespace {

SourceText text(std::vector<std::string> lines) { return {std::move(lines), true}; }

std::string order_found(const SourceText& source, std::uint32_t line, std::uint32_t column, MemoryOrder order,
                        bool failed = false) {
  const auto token = order_token(source, {line, column, order, failed});
  return token ? std::to_string(token->line) + ":" + std::to_string(token->column) + " " + token->text : "";
}

constexpr MemoryOrder kRelaxed = MemoryOrder::kRelaxed, kAcquire = MemoryOrder::kAcquire;

TEST(OrderToken, IsTheOneOfTheCallAtTheColumn) {
  const auto source = text({"y = f.load(std::memory_order_relaxed) + g.load(std::memory_order_relaxed);"});
  EXPECT_EQ(order_found(source, 1, 11, kRelaxed), "1:17 memory_order_relaxed") << "g++: the parenthesis";
  EXPECT_EQ(order_found(source, 1, 7, kRelaxed), "1:17 memory_order_relaxed") << "clang: the member's name";
  EXPECT_EQ(order_found(source, 1, 41, kRelaxed), "1:53 memory_order_relaxed");
  EXPECT_EQ(order_found(source, 1, 0, kRelaxed), "") << "which of the two is not known";
}

TEST(OrderToken, MayStandInALaterLineOfTheCall) {
  const auto source = text({"done.store(compute(a, b),", "           std::memory_order_relaxed);"});
  EXPECT_EQ(order_found(source, 1, 6, kRelaxed), "2:17 memory_order_relaxed");
}

TEST(OrderToken, IsFoundInEachWayOfWriting) {
  const auto source =
      text({"x.store(1, std::memory_order::relaxed);", "__atomic_store_n(&x, 1, __ATOMIC_RELAXED);",
            "atomic_store_explicit(&x, 1, memory_order_relaxed);"});
  EXPECT_EQ(order_found(source, 1, 8, kRelaxed), "1:31 relaxed");
  EXPECT_EQ(order_found(source, 2, 1, kRelaxed), "2:25 __ATOMIC_RELAXED");
  EXPECT_EQ(order_found(source, 3, 1, kRelaxed), "3:30 memory_order_relaxed");
  EXPECT_EQ(with_order("relaxed", MemoryOrder::kAcqRel), "acq_rel");
  EXPECT_EQ(with_order("__ATOMIC_RELAXED", MemoryOrder::kSeqCst), "__ATOMIC_SEQ_CST");
  EXPECT_EQ(with_order("memory_order_relaxed", MemoryOrder::kRelease), "memory_order_release");
}

TEST(OrderToken, OfAnExchangeThatFailedIsTheLastOne) {
  const auto source = text({"x.compare_exchange_weak(e, 1, memory_order_acquire, memory_order_relaxed);"});
  EXPECT_EQ(order_found(source, 1, 24, kAcquire), "1:31 memory_order_acquire");
  EXPECT_EQ(order_found(source, 1, 24, kRelaxed, true), "1:53 memory_order_relaxed");
}

TEST(OrderToken, IsNoneWhereItIsNotWrittenOut) {
  EXPECT_EQ(order_found(text({"x.store(1, order);"}), 1, 8, kRelaxed), "");
  EXPECT_EQ(order_found(text({"x.store(1); y.store(1, memory_order_relaxed);"}), 1, 8, MemoryOrder::kSeqCst),
            "");
  EXPECT_EQ(order_found(text({"x.store(1, memory_order_release);"}), 1, 8, kRelaxed), "")
      << "the source has changed";
  EXPECT_EQ(order_found(text({"x.load(); // memory_order_relaxed", "log(\"memory_order_relaxed\");"}), 1, 7,
                        kRelaxed),
            "");
  EXPECT_EQ(order_found(text({"x.load();"}), 9, 1, kRelaxed), "");
}

TEST(NotifyOne, IsTheOnlyOneOfItsLine) {
  const auto source = text({"ready.notify_one();", "pthread_cond_signal(&a); pthread_cond_signal(&b);"});
  const auto token = notify_one_token(source, 1);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->column, 7u);
  EXPECT_EQ(notify_all_for(token->text), "notify_all");
  EXPECT_FALSE(notify_one_token(source, 2));
}

TEST(IfBeforeWait, HasTheWaitAsItsOnlyStatement) {
  const auto line_of = [](std::vector<std::string> lines, std::uint32_t wait) {
    const auto token = if_before_wait(text(std::move(lines)), wait);
    return token ? token->line : 0;
  };
  EXPECT_EQ(line_of({"lock(m);", "if (queue.empty()) ready.wait(guard);", "pop();"}, 2), 2u);
  EXPECT_EQ(line_of({"  if (queue.empty())", "    ready.wait(guard);", "pop();"}, 2), 1u);
  EXPECT_EQ(line_of({"  if (queue.empty()) {", "    ready.wait(guard);", "  }"}, 2), 1u);
  EXPECT_EQ(line_of({"  if (empty()) {", "    ready.wait(guard); ++woken;", "  }"}, 2), 0u);
  EXPECT_EQ(line_of({"  if (empty())", "    ready.wait(guard);", "  else use();"}, 2), 0u);
  EXPECT_EQ(line_of({"  while (empty())", "    ready.wait(guard);"}, 2), 0u);
}

}  // namespace
}  // namespace heddle::edit
