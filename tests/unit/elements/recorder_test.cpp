// The element recorder and the reader of its logs, from the calls that compiled code makes to access vectors.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "core/record/element_log.h"
#include "runtime/record/element_recorder.h"
#include "tool/record/access_log.h"
#include "tool/record/vector_builder.h"

using heddle::record::ElementEntry;
extern "C" {
void __heddle_touch_element(ElementEntry* entry);
void __heddle_lock_element(ElementEntry* entry);
void __heddle_unlock_element(ElementEntry* entry, std::uint32_t writes, std::uint32_t accesses);
std::uint32_t __heddle_read_element(ElementEntry* entry, std::uint64_t seen);
}

namespace heddle {
namespace {

using record::ChunkHeader;
using record::ChunkKind;

// --- putting a vector together

using Runs = std::vector<ThreadRun>;

TEST(VectorBuilder, RunsOfOneThreadAreOne) {
  EXPECT_EQ(build_vector({{0, 0, 1, 1, 1000}}).runs, (Runs{{0, false, 2000}}));
}

TEST(VectorBuilder, OrdersWritesByVersion) {
  const BuiltVector built = build_vector({{1, 2, 0, 1, 1}, {0, 0, 1, 2, 1}, {0, 3, 2, 0, 1}});
  EXPECT_EQ(built.runs, (Runs{{0, false, 3}, {1, false, 1}, {0, false, 2}}));
  EXPECT_FALSE(built.incomplete);
}

// Thread 1 looked once, after three of thread 0's five writes.
TEST(VectorBuilder, ARunIsSplitWhereSomebodyRead) {
  const BuiltVector built = build_vector({{0, 0, 0, 1, 5}, {1, 3, 1, 0, 1}});
  EXPECT_EQ(built.runs, (Runs{{0, false, 3}, {1, false, 1}, {0, false, 2}}));
}

TEST(VectorBuilder, ReadsOfOneVersionNeedNoOrder) {
  const BuiltVector built = build_vector({{2, 1, 4, 0, 1}, {0, 0, 0, 1, 1}, {1, 1, 2, 1, 1}});
  EXPECT_EQ(built.runs, (Runs{{0, false, 1}, {1, false, 2}, {2, true, 4}, {1, false, 1}}));
}

TEST(VectorBuilder, EndsWhereAWriteIsMissing) {
  const BuiltVector built = build_vector({{0, 0, 0, 1, 1}, {1, 2, 0, 1, 1}});
  EXPECT_EQ(built.runs, (Runs{{0, false, 1}}));
  EXPECT_TRUE(built.incomplete);
}

// --- a log in memory

struct MemoryLog {
  static constexpr std::size_t kBytes = 64u << 20;
  char* bytes = nullptr;
  std::atomic<std::uint64_t> end{record::kLogPage};
  std::uint64_t limit = kBytes;
  std::map<std::pair<std::uint32_t, ChunkKind>, std::uint32_t> sequences;
  std::mutex lock;
};
MemoryLog memory;
thread_local std::uint32_t own_number = 0;

ChunkHeader* new_chunk(ChunkKind kind, std::uint64_t size) {
  const std::scoped_lock guard(memory.lock);
  size = (size + record::kLogPage - 1) / record::kLogPage * record::kLogPage;
  if (memory.end + size > memory.limit) return nullptr;
  auto* chunk = new (memory.bytes + memory.end) ChunkHeader;
  memory.end += size;
  chunk->magic = ChunkHeader::kMagic;
  chunk->thread = own_number;
  chunk->kind = kind;
  chunk->sequence = memory.sequences[{own_number, kind}]++;
  chunk->bytes = static_cast<std::uint32_t>(size);
  chunk->used = ChunkHeader::kOpen;
  return chunk;
}

void* chunk(ChunkKind kind, std::uint64_t size) {
  ChunkHeader* header = new_chunk(kind, size + record::kElementPayload);
  return header != nullptr ? reinterpret_cast<char*>(header) + record::kElementPayload : nullptr;
}
void seal(void*, std::uint64_t) {}
void truncated() { reinterpret_cast<record::LogHeader*>(memory.bytes)->truncated = 1; }

class ElementRecorder : public testing::Test {
 protected:
  void SetUp() override {
    if (memory.bytes == nullptr)
      memory.bytes = static_cast<char*>(mmap(nullptr, MemoryLog::kBytes, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    std::memset(memory.bytes, 0, memory.end);
    memory.end = record::kLogPage;
    memory.limit = MemoryLog::kBytes;
    memory.sequences.clear();
    auto* header = new (memory.bytes) record::LogHeader;
    header->magic = record::kLogMagic;
    header->version = record::kLogVersion;
    header->kind = record::LogKind::kVariables;
    header->build = 17;
    header->outcome.kind = record::OutcomeKind::kExited;
    header->threads = 4;
    as_thread(0);
  }
  void TearDown() override {
    record::end_element_thread();
    record::stop_element_recorder();
  }

  static void begin(ElementEntry* from, ElementEntry* to, std::uint32_t percent, std::uint64_t instance = 1) {
    record::ElementChoice choice;
    choice.percent = percent;
    choice.instance = instance;
    record::start_element_recorder(choice, {chunk, seal, truncated});
    record::choose_elements(from, to, false);
  }
  static void as_thread(std::uint32_t number) {
    own_number = number;
    record::begin_element_thread();
    auto* entry = reinterpret_cast<record::ThreadEntry*>(new_chunk(ChunkKind::kThread, record::kLogPage) + 1);
    *entry = {number, 0, number, 0};
  }
  AccessLog finish() {
    auto* header = reinterpret_cast<record::LogHeader*>(memory.bytes);
    header->end = memory.end;
    const std::string path = testing::TempDir() + "elements-" + std::to_string(getpid()) + ".hlog";
    std::ofstream(path, std::ios::binary).write(memory.bytes, static_cast<std::streamsize>(memory.end));
    auto log = read_access_log(path);
    EXPECT_TRUE(log) << log.error().message;
    unlink(path.c_str());
    return log ? std::move(*log) : AccessLog{};
  }
};

void write(ElementEntry& entry, const std::function<void()>& access) {
  __heddle_lock_element(&entry);
  access();
  __heddle_unlock_element(&entry, 1, 0b11);
}
template <typename Access>
std::uint64_t read(ElementEntry& entry, Access access) {
  std::uint64_t value = 0;
  std::uint64_t seen = 0;
  do {
    seen = entry.version->load(std::memory_order_acquire);
    value = access();
    std::atomic_thread_fence(std::memory_order_acquire);
  } while (__heddle_read_element(&entry, seen) != 0);
  return value;
}

// The order that is recorded is the one that happened: writes by who made them, reads between the writes that
// they saw.
TEST_F(ElementRecorder, VectorsAreWhatHappened) {
  static ElementEntry entry{};
  entry.id = 5;
  begin(&entry, &entry + 1, 100);
  constexpr std::uint32_t kThreads = 3;
  constexpr std::uint32_t kRounds = 20'000;
  static std::uint32_t writers[kThreads * kRounds];
  static std::atomic<std::uint64_t> written{0};
  std::vector<std::vector<std::uint64_t>> seen(kThreads + 1);  // by thread: how many writes each read saw
  std::vector<std::thread> threads;
  for (std::uint32_t id = 1; id <= kThreads; ++id) {
    threads.emplace_back([&, id] {
      as_thread(id);
      for (std::uint32_t i = 0; i < kRounds; ++i) {
        if ((i * id) % 3 == 0) {
          write(entry, [id] {
            const std::uint64_t at = written.load(std::memory_order_relaxed);
            writers[at] = id;
            written.store(at + 1, std::memory_order_relaxed);
          });
        } else {
          seen[id].push_back(read(entry, [] { return written.load(std::memory_order_relaxed); }));
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  const AccessLog log = finish();
  EXPECT_FALSE(log.incomplete);
  EXPECT_EQ(log.threads, (std::vector<std::string>{"0.1", "0.2", "0.3"}));
  ASSERT_EQ(log.vectors.size(), 1u);
  EXPECT_EQ(log.vectors[0].element, 5u);
  // Walk through the vector: each run's accesses are the next ones of its thread; a thread's next access is a
  // read if it is so in its own order, and then has to see what was written before.
  std::vector<std::uint32_t> done(kThreads + 1);
  std::vector<std::size_t> reads(kThreads + 1);
  std::uint64_t writes = 0;
  for (const ThreadRun& run : log.vectors[0].runs) {
    const std::uint32_t id = run.thread + 1;
    for (std::uint64_t k = 0; k < run.accesses; ++k) {
      ASSERT_LT(done[id], kRounds);
      if ((done[id]++ * id) % 3 == 0) {
        ASSERT_EQ(writers[writes], id);
        ++writes;
      } else {
        ASSERT_EQ(seen[id][reads[id]++], writes);
      }
    }
  }
  EXPECT_EQ(writes, written);
  for (std::uint32_t id = 1; id <= kThreads; ++id) EXPECT_EQ(done[id], kRounds);
}

std::uint64_t accesses_of(const AccessLog& log, std::uint64_t element) {
  std::uint64_t sum = 0;
  for (const AccessVector& vector : log.vectors) {
    if (vector.element != element) continue;
    for (const ThreadRun& run : vector.runs) sum += run.accesses;
  }
  return sum;
}

TEST_F(ElementRecorder, AnElementIsHeldForAReadAndItsWrite) {
  static ElementEntry entry{};
  entry.id = 5;
  begin(&entry, &entry + 1, 100);
  for (int i = 0; i < 3; ++i) {
    __heddle_lock_element(&entry);
    __heddle_unlock_element(&entry, 2, 0b1'110);  // a read and two writes
  }
  EXPECT_EQ(read(entry, [] { return 0; }), 0u);
  const AccessLog log = finish();
  EXPECT_FALSE(log.incomplete);
  EXPECT_EQ(log.vectors[0].runs, (Runs{{0, false, 10}}));
}

// Who entered what first is told of different blocks, too.
TEST_F(ElementRecorder, EntriesOfBlocksHaveRanks) {
  static ElementEntry blocks[2]{};
  for (ElementEntry& block : blocks) block = {5, nullptr, 0, record::ElementKind::kBlock, {}, 0};
  blocks[1].id = 6;
  reinterpret_cast<record::LogHeader*>(memory.bytes)->kind = record::LogKind::kBlocks;
  record::ElementChoice choice;
  choice.kind = record::LogKind::kBlocks;
  choice.percent = 100;
  record::start_element_recorder(choice, {chunk, seal, truncated});
  record::choose_elements(blocks, blocks + 2, false);
  const auto other_enters = [](int times) {
    std::thread([times] {
      as_thread(1);
      for (int i = 0; i < times; ++i) __heddle_touch_element(&blocks[1]);
      record::end_element_thread();
    }).join();
  };
  __heddle_touch_element(&blocks[0]);
  other_enters(2);
  __heddle_touch_element(&blocks[0]);
  __heddle_touch_element(&blocks[1]);
  const AccessLog log = finish();
  EXPECT_FALSE(log.incomplete);
  ASSERT_EQ(log.vectors.size(), 2u);
  ASSERT_EQ(log.vectors[0].runs.size(), 1u);
  ASSERT_EQ(log.vectors[1].runs.size(), 2u);
  const ThreadRun& around = log.vectors[0].runs[0];
  const ThreadRun& others = log.vectors[1].runs[0];
  const ThreadRun& last = log.vectors[1].runs[1];
  EXPECT_EQ(around.accesses, 2u);
  EXPECT_EQ(others.accesses, 2u);
  EXPECT_LT(around.first_rank, others.first_rank);
  EXPECT_LE(others.first_rank, others.last_rank);
  EXPECT_LT(others.last_rank, around.last_rank);
  EXPECT_LE(around.last_rank, last.first_rank);
}

// A signal handler that came in the middle of a write accesses the same element.
TEST_F(ElementRecorder, WhatComesInTheMiddleOfAWriteIsLeftAlone) {
  static ElementEntry entries[2]{};
  entries[0].id = 5;
  entries[1].id = 6;
  begin(entries, entries + 2, 100);
  __heddle_lock_element(&entries[0]);
  for (ElementEntry& entry : entries) {
    write(entry, [] {});
    __heddle_touch_element(&entry);
  }
  EXPECT_EQ(entries[0].version->load() & 1, 1u);
  __heddle_unlock_element(&entries[0], 1, 0b11);
  write(entries[0], [] {});
  const AccessLog log = finish();
  EXPECT_FALSE(log.incomplete);
  EXPECT_EQ(accesses_of(log, 5), 2u);
  EXPECT_EQ(accesses_of(log, 6), 0u);
}

// A signal may come to a thread before the log knows who it is, and destructors after.
TEST_F(ElementRecorder, WhatAThreadDoesBeforeItBeginsIsLeftOut) {
  static ElementEntry entry{};
  entry.id = 5;
  begin(&entry, &entry + 1, 100);
  std::thread([] { write(entry, [] {}); }).join();
  write(entry, [] {});
  const AccessLog log = finish();
  EXPECT_FALSE(log.incomplete);
  EXPECT_EQ(log.vectors[0].runs, (Runs{{0, false, 1}}));
}

TEST_F(ElementRecorder, AnElementOfSeveralModulesIsOne) {
  static ElementEntry first[2]{};
  static ElementEntry second[2]{};
  first[0].id = 5;
  first[1].id = second[0].id = 6;
  second[1].id = 7;
  begin(first, first + 2, 100);
  write(first[1], [] {});
  record::choose_elements(second, second + 2, false);
  write(second[0], [] {});
  write(first[1], [] {});
  const AccessLog log = finish();
  EXPECT_FALSE(log.incomplete);
  ASSERT_EQ(log.vectors.size(), 3u);
  EXPECT_EQ(log.elements_in_all, 3u);
  EXPECT_EQ(accesses_of(log, 6), 3u);
}

// A thread that has recorded already comes to elements of a module that is loaded then; the module goes, and
// comes again.
TEST_F(ElementRecorder, ModulesComeAndGo) {
  static ElementEntry first[2]{};
  first[0].id = 5;
  first[1].id = 6;
  begin(first, first + 2, 100);
  write(first[0], [] {});
  std::vector<ElementEntry> second(100);
  for (int times = 0; times < 2; ++times) {
    for (std::uint64_t i = 0; i < second.size(); ++i) second[i] = {i + 100, nullptr, 0, {}, {}, 0};
    record::choose_elements(second.data(), second.data() + second.size(), false);
    for (ElementEntry& entry : second) write(entry, [] {});
    record::forget_elements(second.data());
  }
  write(first[1], [] {});
  const AccessLog log = finish();
  second = {};
  record::stop_element_recorder();  // does not look at what is gone
  EXPECT_FALSE(log.incomplete);
  ASSERT_EQ(log.vectors.size(), 102u);
  for (const AccessVector& vector : log.vectors)
    EXPECT_EQ(accesses_of(log, vector.element), vector.element < 100 ? 1u : 2u);
}

TEST_F(ElementRecorder, AnInstanceRecordsItsShare) {
  static ElementEntry entries[200]{};
  for (std::uint64_t i = 0; i < 200; ++i) entries[i].id = i * 7919 + 3;
  std::map<std::uint64_t, int> drawn;
  for (std::uint64_t instance = 0; instance < 40; ++instance) {
    SetUp();
    begin(entries, entries + 200, 25, instance);
    int chosen = 0;
    for (const ElementEntry& e : entries) {
      chosen += e.chosen;
      drawn[e.id] += e.chosen;
    }
    EXPECT_EQ(chosen, 50);
    record::stop_element_recorder();
  }
  // 40 draws at 1/4: that one of 200 is drawn fewer than 1 or more than 28 times has probability below 200 *
  // 2e-5.
  for (const auto& [id, times] : drawn) EXPECT_TRUE(times >= 1 && times <= 28) << id << " " << times;
}

TEST_F(ElementRecorder, WhatIsNeverAccessedHasAnEmptyVector) {
  static ElementEntry entries[4]{};
  for (std::uint64_t i = 0; i < 4; ++i) entries[i].id = i + 10;
  begin(entries, entries + 4, 0);
  const AccessLog log = finish();
  ASSERT_EQ(log.vectors.size(), 1u);
  EXPECT_TRUE(log.vectors[0].runs.empty());
  EXPECT_EQ(log.elements_in_all, 4u);
}

TEST_F(ElementRecorder, AFullLogIsAPrefixAndSaysSo) {
  static ElementEntry entry{};
  entry.id = 9;
  memory.limit = 4 * record::kLogPage + (64u << 10);
  begin(&entry, &entry + 1, 100);
  std::thread([] {
    as_thread(1);
    // No two runs alike: each is a token.
    for (std::uint32_t i = 0; i < 50'000 && entry.chosen != 0; ++i) {
      for (std::uint32_t k = 0; k <= i % 3; ++k) read(entry, [] { return 0; });
      __heddle_touch_element(&entry);
      entry.version->fetch_add(2);  // somebody who records nothing
    }
  }).join();
  EXPECT_EQ(entry.chosen, 0);
  const AccessLog log = finish();
  EXPECT_TRUE(log.incomplete);
}

// Lengths are added up by whoever compares vectors, and a log has a vector of each element.
TEST(AccessLogs, AreRefusedIfNoRunCanHaveMadeThem) {
  const std::string path = testing::TempDir() + "/impossible.hlog";
  AccessLog log;
  log.threads = {"0", "0.1"};
  const auto is_read = [&](std::vector<AccessVector> vectors) {
    log.vectors = std::move(vectors);
    return static_cast<bool>(write_access_log(path, log)) && read_access_log(path);
  };
  EXPECT_TRUE(is_read({{3, {{0, false, kMostAccesses - 1, 0, 0}, {1, false, 1, 0, 0}}}, {4, {}}}));
  EXPECT_FALSE(is_read({{3, {{0, false, kMostAccesses, 0, 0}, {1, false, 1, 0, 0}}}}));
  EXPECT_FALSE(is_read({{3, {{0, false, ~0ull, 0, 0}, {1, false, 2, 0, 0}}}}));
  EXPECT_FALSE(is_read({{3, {{0, false, kMostAccesses, 0, 0}}}, {4, {{0, false, 1, 0, 0}}}}))
      << "all together";
  EXPECT_FALSE(is_read({{3, {}}, {3, {}}}));
}

TEST(AccessLogs, AreReadBackAsTheyWereWritten) {
  AccessLog log;
  log.build = 3;
  log.run = ~0ull;
  log.scheme = AccessScheme::kBlocks;
  log.outcome = RunOutcome::kFailed;
  log.failure_place = "assertion a.cpp:3";
  log.elements_in_all = 7;
  log.threads = {"0", "0.1"};
  log.vectors = {{1, {}}, {~0ull, {{0, false, 1ull << 40, 1, 1ull << 50}, {1, true, 2, 1ull << 50, ~0ull}}}};
  const std::string path = testing::TempDir() + "collected-" + std::to_string(getpid()) + ".hlog";
  ASSERT_TRUE(write_access_log(path, log));
  const auto back = read_access_log(path);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->build, log.build);
  EXPECT_EQ(back->run, log.run);
  EXPECT_EQ(back->scheme, log.scheme);
  EXPECT_EQ(back->outcome, log.outcome);
  EXPECT_EQ(back->failure_place, log.failure_place);
  EXPECT_EQ(back->elements_in_all, log.elements_in_all);
  EXPECT_EQ(back->threads, log.threads);
  EXPECT_EQ(back->vectors, log.vectors);
  // A byte that was changed, anywhere, is noticed.
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x21);
    std::ofstream(path, std::ios::binary) << changed;
    EXPECT_FALSE(read_access_log(path)) << i;
  }
  unlink(path.c_str());
}

}  // namespace
}  // namespace heddle
