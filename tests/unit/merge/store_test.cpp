// The log store: what was added is there, once, also after an end in the middle.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tool/merge/store/log_store.h"

namespace heddle::merge {
namespace {

class Store : public testing::Test {
 protected:
  void SetUp() override {
    directory_ =
        testing::TempDir() + "heddle_store_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::unique_ptr<LogStore> open() const {
    auto store = LogStore::open(directory_);
    EXPECT_TRUE(store) << (store ? "" : store.error().message);
    return std::move(*store);
  }
  std::string directory_;
};

AccessLog log_of(const std::string& path, std::uint64_t threads, RunOutcome outcome = RunOutcome::kFailed) {
  AccessLog log;
  log.path = path;
  log.build = 1;
  log.run = 2;
  log.outcome = outcome;
  if (outcome == RunOutcome::kFailed) log.failure_place = "assertion queue.cpp:41";
  log.elements_in_all = 9;
  for (std::uint64_t i = 0; i < threads; ++i) log.threads.push_back("0." + std::to_string(i));
  for (std::uint64_t element = 5; element < 8; ++element) {
    AccessVector vector{element, {}};
    for (std::uint32_t i = 0; i < threads; ++i) vector.runs.push_back({i, false, element});
    log.vectors.push_back(vector);
  }
  return log;
}

void add(LogStore& store, const AccessLog& log, bool is_new = true) {
  ASSERT_TRUE(store.begin());
  const auto added = store.add(log);
  ASSERT_TRUE(added);
  EXPECT_EQ(*added, is_new);
  ASSERT_TRUE(store.end());
}

TEST_F(Store, keeps_logs_once) {
  {
    const auto store = open();
    add(*store, log_of("a.log", 2));
    add(*store, log_of("dir/a.log", 2), false);
    add(*store, log_of("b.log", 2));
  }
  const auto store = open();
  add(*store, log_of("b.log", 2), false);
  const auto bugs = store->bugs();
  ASSERT_TRUE(bugs);
  ASSERT_EQ(bugs->size(), 1u);
  const LogSet& logs = bugs->front()->logs;
  EXPECT_EQ(logs.failing_logs(), 2u);
  EXPECT_EQ(logs.logs(), 1u) << "two instances did the same";
  EXPECT_EQ(logs.universe(), 9u);
  EXPECT_EQ(logs.elements(), 3u);
  EXPECT_EQ(length_of(logs.bytes(logs.recorded(0, 0))), 10u);
  EXPECT_EQ(store->threads(), (std::vector<std::string>{"0.0", "0.1"}));
}

TEST_F(Store, tells_bugs_apart) {
  const auto store = open();
  add(*store, log_of("a", 2));
  AccessLog other = log_of("b", 3);
  other.failure_place = "SIGSEGV";
  add(*store, other);
  AccessLog build = log_of("c", 3);
  build.build = 77;
  add(*store, build);
  add(*store, log_of("d", 4, RunOutcome::kPassed));
  const auto bugs = store->bugs();
  ASSERT_TRUE(bugs);
  ASSERT_EQ(bugs->size(), 3u);
  for (const auto& bug : *bugs) {
    EXPECT_EQ(bug->logs.failing_logs(), 1u);
    EXPECT_EQ(bug->logs.passing_logs(), bug->kind.build == 1 ? 1u : 0u);
  }
}

TEST_F(Store, grows_while_it_is_open) {
  const auto reader = open();
  const auto writer = open();
  add(*writer, log_of("a", 2));
  add(*reader, log_of("b", 3));
  add(*writer, log_of("c", 2));
  const auto again = open();
  ASSERT_EQ((*again->bugs())[0]->logs.failing_logs(), 3u);
  EXPECT_EQ(again->threads().size(), 3u);
}

TEST_F(Store, survives_what_was_cut_off) {
  {
    const auto store = open();
    for (int i = 0; i < 5; ++i)
      add(*store, log_of("log" + std::to_string(i), 2 + static_cast<std::uint64_t>(i)));
  }
  const auto size = std::filesystem::file_size(directory_ + "/logs.index");
  std::filesystem::resize_file(directory_ + "/logs.index", size - 7);
  std::ofstream(directory_ + "/vectors", std::ios::app) << "half a vector";
  const auto store = open();
  ASSERT_EQ((*store->bugs())[0]->logs.failing_logs(), 4u);
  add(*store, log_of("log4", 6));
  const auto again = open();
  ASSERT_EQ((*again->bugs())[0]->logs.failing_logs(), 5u);
}

void change_byte(const std::string& path, std::streamoff at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(at);
  const int byte = file.get();
  file.seekp(at);
  file.put(static_cast<char>(byte ^ 0x55));
}

TEST_F(Store, names_damage_and_goes_on) {
  {
    const auto store = open();
    add(*store, log_of("a", 2));
    add(*store, log_of("b", 3));
  }
  change_byte(directory_ + "/vectors", 0);
  const auto store = open();
  auto bugs = store->bugs();
  ASSERT_TRUE(bugs);
  const LogSet& logs = bugs->front()->logs;
  EXPECT_EQ(logs.failing_logs(), 2u);
  EXPECT_EQ(logs.log(0).size(), 2u) << "without the vector that is damaged";
  EXPECT_EQ(logs.log(1).size(), 3u);
  const auto complaints = store->take_complaints();
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_EQ(complaints[0], "vector 0 of the store is damaged and was skipped.");
  EXPECT_TRUE(store->take_complaints().empty());
}

// What comes after a damaged entry of the index is neither lost nor overwritten.
TEST_F(Store, survives_a_damaged_index) {
  {
    const auto store = open();
    for (const char* name : {"a", "b", "c", "d"}) add(*store, log_of(name, 2));
  }
  constexpr std::streamoff kOffsetOfSecondEntry = 8 + 24 + 8;
  change_byte(directory_ + "/logs.index", kOffsetOfSecondEntry);
  for (const std::uint64_t logs : {3u, 4u}) {
    const auto store = open();
    if (logs == 4) add(*store, log_of("e", 2));
    ASSERT_EQ((*store->bugs())[0]->logs.failing_logs(), logs);
    EXPECT_EQ(store->take_complaints(),
              std::vector<std::string>{"log 1 of the store is damaged and was skipped."});
  }
}

// Rows of a server have no checksums, and whoever can write them may write anything.
class Rows : public RecordTable {
 public:
  std::vector<std::string> of[3];
  Result<Place> intern(RecordKind, std::string_view) override { return Error{"nothing is added"}; }
  Status visit(RecordKind kind, std::uint64_t from, const Visit& visit) override {
    const auto& rows = of[static_cast<std::size_t>(kind)];
    for (std::uint64_t i = from; i < rows.size(); ++i) visit(i, rows[i]);
    return Done{};
  }
};

std::string vector_of(std::initializer_list<Run> runs) {
  VectorWriter writer;
  for (const Run& run : runs) writer.add(run);
  return writer.take();
}

std::string failing_log(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> vectors) {
  ByteWriter named, log;
  for (const auto& [element, vector] : vectors) {
    named.fixed64(element);
    named.varint(vector);
  }
  log.number(4, 1);  // it failed
  log.text(8, named.bytes());
  return log.take();
}

TEST(HostileStore, IsReadWithoutWhatMakesNoSense) {
  auto rows = std::make_unique<Rows>();
  rows->of[0] = {"0", "0.1"};
  rows->of[1] = {vector_of({{0, 3, false}, {1, 2, false}}),
                 vector_of({{0, 3, false}, {2, 2, false}}),               // of a thread that is not there
                 vector_of({{0, kMostAccesses, false}, {1, 1, false}})};  // longer than any run
  // The second one has one element twice.
  rows->of[2] = {failing_log({{7, 0}, {8, 1}, {9, 2}}), failing_log({{7, 0}, {7, 0}})};
  LogStore store(std::move(rows));
  const auto bugs = store.bugs();
  ASSERT_TRUE(bugs);
  ASSERT_EQ(bugs->size(), 1u);
  EXPECT_EQ(bugs->front()->logs.logs(), 1u);
  EXPECT_EQ(bugs->front()->logs.log(0).size(), 1u);
  EXPECT_EQ(store.take_complaints(),
            (std::vector<std::string>{"vector 1 of the store is damaged and was skipped.",
                                      "vector 2 of the store is damaged and was skipped.",
                                      "log 1 of the store is damaged and was skipped."}));
}

// Against a real server, which tests/end_to_end/postgresql_store.sh starts.
TEST(PostgresqlServer, keeps_logs_of_a_fleet) {
  const char* address = std::getenv("HEDDLE_TEST_POSTGRESQL");
  if (address == nullptr) GTEST_SKIP() << "needs a server: tests/end_to_end/postgresql_store.sh";
  constexpr int kLogs = 20;
  const auto instance = [&](int number) {
    auto store = LogStore::open(address);
    ASSERT_TRUE(store) << store.error().message;
    for (int i = 0; i < kLogs; ++i)
      add(**store, log_of(std::to_string(number * kLogs + i), 2 + static_cast<std::uint64_t>(i % 3)));
    add(**store, log_of(std::to_string(number * kLogs), 2), false);
  };
  std::thread other(instance, 1);
  instance(2);
  other.join();
  auto store = LogStore::open(address);
  ASSERT_TRUE(store);
  const auto bugs = (*store)->bugs();
  ASSERT_TRUE(bugs) << bugs.error().message;
  ASSERT_EQ(bugs->size(), 1u);
  const LogSet& logs = bugs->front()->logs;
  EXPECT_EQ(logs.failing_logs(), 2u * kLogs);
  EXPECT_EQ(logs.logs(), 3u);
  EXPECT_EQ((*store)->threads().size(), 4u);
  for (LogIndex log = 0; log < logs.logs(); ++log)
    EXPECT_EQ(length_of(logs.bytes(logs.recorded(log, 0))) % 5, 0u);
  add(**store, log_of("later", 5));
  EXPECT_EQ((*(*store)->bugs())[0]->logs.failing_logs(), 2u * kLogs + 1);
}

TEST(PostgresqlStore, says_why_there_is_none) {
  const auto store = LogStore::open("postgresql:///nothing?host=/nonexistent");
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("PostgreSQL"), std::string::npos);
}

}  // namespace
}  // namespace heddle::merge
