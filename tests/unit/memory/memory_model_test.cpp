// What the engine relies on beyond the litmus tests: threads, synchronisation objects, locations as real
// programs use them, real memory, and the model of sequential consistency.
#include "runtime/memory/memory_model.h"

#include <algorithm>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/memory/memory_model_fixture.h"

namespace heddle::memory {
namespace {

TEST_F(MemoryModelTest, CreationAndJoinOrderThreads) {
  const Epoch before = model.epoch(kMain);
  model.thread_created(kMain, kC);
  const Epoch after = model.epoch(kMain);
  EXPECT_TRUE(happens_before(model, before, kC));
  EXPECT_FALSE(happens_before(model, after, kC));
  const Epoch work = model.epoch(kC);
  EXPECT_FALSE(happens_before(model, work, kMain));
  model.thread_finished(kC);
  model.thread_joined(kMain, kC);
  EXPECT_TRUE(happens_before(model, work, kMain));
}

TEST_F(MemoryModelTest, OwnTimeAdvancesWithEachReleaseOnly) {
  const std::uint32_t before = model.epoch(kA).time;
  store(kA, kX, 1, kRlx);
  EXPECT_EQ(model.epoch(kA).time, before);
  store(kA, kX, 2, kRel);
  EXPECT_EQ(model.epoch(kA).time, before + 1);
  model.fence(kA, kRel);
  EXPECT_EQ(model.epoch(kA).time, before + 2);
}

TEST_F(MemoryModelTest, ReleaseDoesNotPublishWhatComesLater) {
  store(kA, kX, 1, kRel);
  const Epoch later = model.epoch(kA);
  load(kB, kX, 1, kAcq);
  EXPECT_FALSE(happens_before(model, later, kB));
}

TEST_F(MemoryModelTest, SlotsAreReused) {
  for (int i = 0; i < 10'000; ++i) {
    model.thread_created(kMain, kC);
    store(kC, kX, static_cast<std::uint64_t>(i), kRel);
    const Epoch last = model.epoch(kC);
    model.thread_finished(kC);
    model.thread_joined(kMain, kC);
    ASSERT_TRUE(happens_before(model, last, kMain));
    ASSERT_EQ(values(kMain, kX), Values{static_cast<std::uint64_t>(i)});
  }
  EXPECT_LT(model.memory_used(), 100'000u);
}

TEST_F(MemoryModelTest, ManyThreadsHaveTheirOwnTimes) {
  start(Options{}, {});
  for (std::uint16_t t = 1; t < 400; ++t) model.thread_created(kMain, ThreadId{t});
  for (std::uint16_t t = 1; t < 400; ++t) store(ThreadId{t}, kX, t, kRel);
  load(kMain, kX, 399, kAcq);
  EXPECT_TRUE(happens_before(model, {ThreadId{399}, 1}, kMain));
  EXPECT_FALSE(happens_before(model, {ThreadId{398}, 1}, kMain));
  for (std::uint16_t t = 1; t < 400; ++t) {
    model.thread_finished(ThreadId{t});
    model.thread_joined(kMain, ThreadId{t});
    ASSERT_TRUE(happens_before(model, {ThreadId{t}, 1}, kMain));
  }
}

TEST_F(MemoryModelTest, SyncClocksCarryHappensBefore) {
  SyncClock mutex{};
  store(kA, kX, 1);
  model.release(kA, mutex);
  EXPECT_EQ(values(kB, kX), (Values{1, 0}));
  model.acquire(kB, mutex);
  EXPECT_EQ(values(kB, kX), Values{1});
}

TEST_F(MemoryModelTest, SyncClocksJoinWhatSeveralReleased) {
  SyncClock barrier{};
  const Epoch a = model.epoch(kA), b = model.epoch(kB);
  model.release(kA, barrier);
  model.release(kB, barrier);
  model.acquire(kMain, barrier);
  EXPECT_TRUE(happens_before(model, a, kMain));
  EXPECT_TRUE(happens_before(model, b, kMain));
  EXPECT_FALSE(happens_before(model, a, kB));
  model.forget(barrier);
  model.acquire(kB, barrier);
  EXPECT_FALSE(happens_before(model, a, kB));
}

// A mutex hands on what a seq_cst fence before its release has seen: RWC with the reader behind a mutex.
TEST_F(MemoryModelTest, FencesAndMutexesCompose) {
  for (const bool fence : {false, true}) {
    start(Options{}, {kA, kB, kC});
    SyncClock mutex{};
    store(kC, kX, 1);
    model.fence(kC, kSc);
    load(kC, kZ, 0);
    if (fence) model.fence(kA, kSc);
    model.release(kA, mutex);
    model.acquire(kB, mutex);
    EXPECT_EQ(values(kB, kX), fence ? Values{1} : (Values{1, 0}));
  }
}

TEST_F(MemoryModelTest, SeedsFromRealMemory) {
  memory[kX] = {42, 7};
  const auto candidates = model.readable_load(kA, place(kX, 16), kAcq);
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].value, (Value{42, 7}));
  EXPECT_EQ(candidates[0].writer, kNoThread);
  EXPECT_TRUE(candidates[0].newest);
}

TEST_F(MemoryModelTest, CandidatesNameTheirStores) {
  store(kA, kX, 1);
  store(kA, kY, 1);
  store(kA, kX, 2);
  const auto candidates = model.readable_load(kB, place(kX), kRlx);
  ASSERT_EQ(candidates.size(), 3u);
  EXPECT_EQ(candidates[0].writer, kA);
  EXPECT_EQ(candidates[0].ordinal, 2u);
  EXPECT_EQ(candidates[1].ordinal, 0u);
  EXPECT_EQ(candidates[2].writer, kNoThread);
  EXPECT_TRUE(candidates[0].newest);
}

TEST_F(MemoryModelTest, ALoadCanDecideWhatRealMemoryHolds) {
  store(kA, kX, 1);
  store(kB, kX, 2);
  EXPECT_EQ(memory[kX].low, 2u);
  load(kMain, kX, 2);
  load(kMain, kX, 1);  // so 1 is the last in modification order
  EXPECT_EQ(memory[kX].low, 1u);
  EXPECT_EQ(values(kB, kX), (Values{2, 1}));
}

TEST_F(MemoryModelTest, PlainWriteInitialisesAnew) {
  store(kA, kX, 1);
  store(kA, kX, 2);
  model.plain_write(kA, kX, 8);
  EXPECT_FALSE(model.has_location(kX, 8));
  memory[kX] = {9, 0};
  EXPECT_EQ(values(kB, kX), Values{9});
}

TEST_F(MemoryModelTest, PlainReadBindsToTheNewest) {
  store(kA, kX, 1);
  EXPECT_EQ(values(kB, kX), (Values{1, 0}));
  model.plain_read(kB, kX, 8);
  EXPECT_EQ(values(kB, kX), Values{1});
}

TEST_F(MemoryModelTest, UnseenWritesAreNoticed) {
  store(kA, kX, 1);
  memory[kX] = {5, 0};  // uninstrumented code or the kernel
  EXPECT_EQ(values(kB, kX), Values{5});
}

TEST_F(MemoryModelTest, DropRangeForgetsWhatLiesInIt) {
  for (Address a = kX; a < kX + 64; a += 8) store(kA, a, 1);
  store(kA, kZ, 1);
  model.drop_range(kX + 4, kX + 20);  // three locations overlap
  EXPECT_FALSE(model.has_location(kX, 24));
  EXPECT_TRUE(model.has_location(kX + 24, 8));
  model.drop_range(0, ~0ull);
  EXPECT_EQ(model.location_count(), 0u);
}

TEST_F(MemoryModelTest, OverlappingSizesFallBackToRealMemory) {
  store(kA, kX, 1, kRel, 4);
  const Epoch released = model.epoch(kA);
  memory[kX] = {1, 0};
  EXPECT_EQ(values(kB, kX, kRlx, 8), Values{1});
  EXPECT_TRUE(model.latest_only());
  memory[kX] = model.store(kB, {kX, 8, {1, 0}}, kRlx, {0x500000001, 0});
  EXPECT_EQ(values(kA, kX + 4, kRlx, 4).size(), 1u);
  EXPECT_TRUE(model.latest_only());
  // What was released into a part of it is acquired.
  model.readable_load(kMain, {kX, 4, {1, 0}}, kAcq);
  model.commit_load(0);
  EXPECT_TRUE(happens_before(model, {kA, released.time - 1}, kMain));
  // Another line is not affected.
  store(kA, kY, 1);
  EXPECT_EQ(values(kB, kY), (Values{1, 0}));
  EXPECT_FALSE(model.latest_only());
}

TEST_F(MemoryModelTest, SmallNeighboursDoNotOverlap) {
  for (Address a = kX; a < kX + 16; ++a) store(kA, a, 1, kRlx, 1);
  for (Address a = kX; a < kX + 16; ++a) EXPECT_EQ(values(kB, a, kRlx, 1), (Values{1, 0}));
  EXPECT_FALSE(model.latest_only());
}

TEST_F(MemoryModelTest, CasListsSuccessAndFailure) {
  store(kA, kX, 1);
  const auto weak = model.readable_cas(kB, place(kX), {kAcqRel, kRlx, {1, 0}, true});
  ASSERT_EQ(weak.size(), 3u);
  EXPECT_EQ(weak[0].outcome, ReadOutcome::kCasSuccess);
  EXPECT_EQ(weak[1].outcome, ReadOutcome::kCasSpurious);
  EXPECT_EQ(weak[2].outcome, ReadOutcome::kCasFailure);
  const auto strong = model.readable_cas(kB, place(kX), {kAcqRel, kRlx, {1, 0}, false});
  ASSERT_EQ(strong.size(), 2u);
  memory[kX] = model.commit_update(0, {7, 0});
  // A failing CAS may read a store that has been updated; a successful one may not.
  const auto after = model.readable_cas(kA, place(kX), {kAcqRel, kRlx, {1, 0}, false});
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].value.low, 7u);
  const auto main = model.readable_cas(kMain, place(kX), {kAcqRel, kRlx, {9, 0}, false});
  EXPECT_EQ(main.size(), 3u);
}

// The engine counts candidates and makes the picked one only: the same ones, in rings of any fill and width.
TEST_F(MemoryModelTest, CandidatesMadeOneByOneEqualTheList) {
  for (const std::uint64_t window : {0, 5, 100}) {
    Options options;
    options.window = window;
    start(options);
    Random random(window);
    for (int i = 0; i < 5'000; ++i) {
      const ThreadId t = random.below(2) == 0 ? kA : kB;
      const bool updates = random.below(3) == 0;
      if (!updates && random.below(2) == 0) {
        store(t, kX, random.next());
        continue;
      }
      const Reading reading =
          updates ? model.begin_update(t, place(kX), kRlx) : model.begin_load(t, place(kX), kRlx);
      const std::uint32_t count = reading.count;
      std::vector<Candidate> made;
      for (std::uint32_t k = 0; k < count; ++k)
        made.push_back(MemoryModel::candidate(reading, model.store_at(reading, k)));
      const auto list = model.candidates(reading);
      ASSERT_EQ(list.size(), count);
      for (std::uint32_t k = 0; k < count; ++k) {
        ASSERT_EQ(made[k].store, list[k].store);
        ASSERT_EQ(made[k].value, list[k].value);
        ASSERT_EQ(made[k].newest, list[k].newest);
      }
      const Sequence picked = made[random.below(count)].store;
      if (updates) {
        memory[kX] = model.MemoryModel::commit_update(reading, picked, {random.next(), 0});
      } else {
        model.MemoryModel::commit_load(reading, picked);
        memory[kX] = MemoryModel::newest_value(*reading.location);
      }
    }
  }
}

// update_newest is begin_update and commit_update in one, a load that repeats commits nothing, and a short read
// leaves out what it does not need: two models that differ in nothing but this go on offering the same.
TEST_F(MemoryModelTest, ShortReadsEqualLongOnes) {
  constexpr MemoryOrder kOrders[] = {kRlx, kAcq, kRel, kAcqRel, kSc};
  const auto load_of = [](MemoryOrder order) { return order == kRel || order == kAcqRel ? kAcq : order; };
  const auto store_of = [](MemoryOrder order) { return order == kAcq || order == kAcqRel ? kRel : order; };
  std::uint32_t in_one = 0, repeated = 0, drawn_loads = 0, drawn_updates = 0;
  for (const std::uint32_t updates : {2u, 6u, 10u}) {  // out of ten operations
    start(Options{}, {kA, kB, kC});
    SteppedModel other;
    other.reset(Options{});
    for (ThreadId t : {kA, kB, kC}) other.thread_created(kMain, t);
    std::map<Address, Value> other_memory;
    Random random(updates);
    for (std::uint32_t i = 1; i <= 5000; ++i) {
      const ThreadId t{static_cast<std::uint16_t>(1 + random.below(3))};
      const Address a = random.below(2) == 0 ? kX : kY;
      const MemoryOrder order = kOrders[random.below(5)];
      if (updates == 6 && random.below(40) == 0) {
        model.fence(t, order);
        other.fence(t, order);
      }
      std::uint32_t pick = 0;
      if (random.below(10) < updates) {
        const Reading theirs = other.begin_update(t, {a, 8, other_memory[a]}, order);
        const auto candidates = other.readable_update(t, {a, 8, other_memory[a]}, order);
        pick = random.below(static_cast<std::uint32_t>(candidates.size()));
        const Value value = {candidates[pick].value.low + i, 0};
        const bool is_only = candidates.size() == 1;
        const std::uint32_t other_digest = other.digest(theirs);
        other_memory[a] = other.commit_update(pick, value);
        const Found found = model.find(t, place(a));
        if (is_only && found && model.update_newest(t, found, order, value)) {
          ++in_one;
          memory[a] = value;
        } else if (found && model.reads_in_a_word(t, found, order) && MemoryModel::has_room(found)) {
          ++drawn_updates;
          const Reading reading = model.begin_short_update(t, found, order);
          ASSERT_EQ(reading.count, theirs.count);
          ASSERT_EQ(model.digest(reading), other_digest);
          const Sequence read = model.store_at(reading, pick);
          ASSERT_EQ(reading.location->store(read).value.low + i, value.low);
          memory[a] = model.commit_short_update(reading, read, value);
        } else {
          ASSERT_EQ(model.readable_update(t, place(a), order).size() == 1, is_only);
          memory[a] = model.commit_update(pick, value);
        }
      } else if (random.below(2) == 0) {
        other_memory[a] = other.store(t, {a, 8, other_memory[a]}, store_of(order), {i, 0});
        memory[a] = model.store(t, place(a), store_of(order), {i, 0});
      } else {
        const Reading theirs = other.begin_load(t, {a, 8, other_memory[a]}, load_of(order));
        const auto candidates = other.readable_load(t, {a, 8, other_memory[a]}, load_of(order));
        pick = random.below(static_cast<std::uint32_t>(candidates.size()));
        const Found found = model.find(t, place(a));
        if (found && model.load_repeats(t, found, load_of(order))) {
          ++repeated;  // and nothing is committed
          ASSERT_EQ(candidates.size(), 1u);
          ASSERT_EQ(candidates[0].value, memory[a]);
        } else if (i % 2 == 0 && found && model.reads_in_a_word(t, found, load_of(order))) {
          ++drawn_loads;
          const Reading reading = model.begin_short_load(t, found, load_of(order));
          ASSERT_EQ(reading.count, candidates.size());
          ASSERT_EQ(model.digest(reading), other.digest(theirs));
          const Store& read = model.commit_short_load(reading, model.store_at(reading, pick));
          ASSERT_EQ(read.value, candidates[pick].value);
          ASSERT_EQ(read.ordinal, candidates[pick].ordinal);
          memory[a] = MemoryModel::newest_value(*found.location);
        } else {
          const auto same = model.readable_load(t, place(a), load_of(order));
          ASSERT_EQ(candidates.size(), same.size());
          for (std::uint32_t k = 0; k < candidates.size(); ++k) {
            ASSERT_EQ(candidates[k].value, same[k].value);
            ASSERT_EQ(candidates[k].ordinal, same[k].ordinal);
          }
          memory[a] = model.commit_load(pick);
        }
        other_memory[a] = other.commit_load(pick);
      }
      ASSERT_EQ(memory[a], other_memory[a]);
      for (std::uint32_t u = 0; u < 4; ++u) {
        const ThreadId thread{static_cast<std::uint16_t>(u)};
        ASSERT_EQ(model.clock(t).at(thread), other.clock(t).at(thread));
      }
    }
  }
  EXPECT_GT(in_one, 1000u);
  EXPECT_GT(repeated, 100u);
  EXPECT_GT(drawn_loads, 500u);
  EXPECT_GT(drawn_updates, 500u);
}

TEST_F(MemoryModelTest, ScReadsTheLastStore) {
  Options options;
  options.model = ModelKind::kSc;
  start(options);
  store(kA, kX, 1);
  store(kB, kX, 2);
  store(kA, kX, 3);
  EXPECT_EQ(values(kB, kX), Values{3});
  EXPECT_FALSE(model.pruned());
  // Happens-before is that of the orders, also under sc: relaxed accesses race.
  EXPECT_FALSE(happens_before(model, {kA, 1}, kB));
}

}  // namespace
}  // namespace heddle::memory
