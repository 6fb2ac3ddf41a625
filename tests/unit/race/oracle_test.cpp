// Random executions, each access of which is judged by the detector in both modes and by the definition.
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/race/harness.h"
#include "tests/unit/race/oracle.h"

namespace heddle::race {
namespace {

struct Profile {
  const char* name;
  std::uint32_t threads;
  std::uint32_t locks;
  std::uint32_t bytes;  // of the memory that all accesses fall into
  std::uint32_t steps;
  std::uint32_t executions;
  std::uint32_t sync_percent;
  std::uint32_t range_percent;
  std::uint32_t life_percent;  // frees, fresh memory, ended threads
};

struct Verdict {
  bool raced = false;
  Address address = 0;
  std::uint32_t thread = 0, time = 0;
  AccessKind kind = AccessKind::kNone;
  bool operator==(const Verdict&) const = default;
};

AccessKind kind_of_op(AccessOp op) {
  switch (op) {
    case AccessOp::kRead:
      return AccessKind::kRead;
    case AccessOp::kWrite:
      return AccessKind::kWrite;
    case AccessOp::kAtomicRead:
    case AccessOp::kVolatileRead:
      return AccessKind::kAtomicRead;
    default:
      return AccessKind::kAtomicWrite;
  }
}

void PrintTo(const Profile& profile, std::ostream* out) { *out << profile.name; }

// One random execution, a function of the profile and the seed.
class Execution {
 public:
  Execution(const Profile& profile, Mode mode, std::uint64_t seed)
      : profile_(profile), mode_(mode), random_(seed), threads_(profile.threads), oracle_(profile.threads) {
    // Straddles the border of two chunks at an odd alignment.
    base_ = 0x600000000000 + 3 * Shadow::kChunkBytes - profile.bytes / 2 + random_.below(8);
    plain_percent_ = 30 + random_.below(71);
  }

  std::vector<Verdict> run() {
    for (std::uint32_t i = 0; i < profile_.steps && !::testing::Test::HasFailure(); ++i) step();
    return verdicts_;
  }
  std::uint64_t races() const { return races_; }

 private:
  void step() {
    const std::uint32_t t = random_.below(profile_.threads);
    const std::uint32_t dice = random_.below(100);
    if (dice < profile_.sync_percent) {
      synchronise(t);
    } else if (dice < profile_.sync_percent + profile_.life_percent) {
      live(t);
    } else {
      access_something(t);
    }
    if (random_.below(64) == 0) detector.collect();
  }

  void synchronise(std::uint32_t t) {
    const std::uint32_t lock = random_.below(profile_.locks);
    if (random_.below(2) == 0) {
      threads_.release(t, lock), oracle_.release(t, lock);
    } else {
      threads_.acquire(t, lock), oracle_.acquire(t, lock);
    }
  }

  void live(std::uint32_t t) {
    const Address begin = base_ + random_.below(profile_.bytes);
    const std::uint64_t size = 1 + random_.below(static_cast<std::uint32_t>(base_ + profile_.bytes - begin));
    const std::uint32_t dice = random_.below(5);
    if (dice == 4) {
      // As malloc hands out memory: whole words.
      const Address first = (begin + 7) & ~Address{7};
      const std::uint64_t bytes = (base_ + profile_.bytes - first) & ~std::uint64_t{7};
      if (bytes == 0 || first >= base_ + profile_.bytes) return;
      threads_.run(t);
      detector.on_allocate(first, bytes, next_pc(), next_stack());
      oracle_.reset_range(first, bytes);
      for (Address byte = first; byte < first + bytes; ++byte) reported_.erase(byte);
      judge({AccessOp::kWrite, first, bytes, t, threads_.time(t), Deed::kAllocation}, nullptr);
    } else if (dice == 0) {
      const std::uint32_t joiner = random_.below(profile_.threads);
      if (joiner != t) threads_.end_and_recreate(t, joiner), oracle_.end_and_recreate(t, joiner);
    } else if (dice == 1) {
      detector.reset_range(begin, size), oracle_.reset_range(begin, size);
      for (Address byte = begin; byte < begin + size; ++byte) reported_.erase(byte);
    } else {
      threads_.run(t);
      const Race* race = detector.on_free(begin, size, next_pc(), next_stack());
      judge({AccessOp::kWrite, begin, size, t, threads_.time(t), Deed::kFree}, race);
    }
  }

  void access_something(std::uint32_t t) {
    const std::uint32_t dice = random_.below(100);
    AccessOp op = static_cast<AccessOp>(random_.below(2));
    if (dice >= plain_percent_) op = static_cast<AccessOp>(2 + random_.below(4));
    const Address begin = base_ + random_.below(profile_.bytes);
    const std::uint64_t left = base_ + profile_.bytes - begin;
    threads_.run(t);
    if (random_.below(100) < profile_.range_percent) {
      const std::uint64_t size = random_.below(static_cast<std::uint32_t>(left) + 1);
      judge({op, begin, size, t, threads_.time(t), Deed::kAccess},
            detector.on_range(op, begin, size, next_pc(), next_stack()));
      return;
    }
    const std::uint32_t size = 1u << random_.below(5);
    const bool aligned = random_.below(3) != 0;
    const Address at = aligned ? begin & ~static_cast<Address>(size - 1) : begin;
    const std::optional<Race> race = access(op, size, at, next_pc(), next_stack());
    judge({op, at, size, t, threads_.time(t), Deed::kAccess}, race ? &*race : nullptr);
  }

  // The number of the access, so that a precise report names exactly one.
  std::uint64_t next_pc() const { return 1000 + oracle_.size(); }
  StackId next_stack() const { return StackId{static_cast<std::uint32_t>(7 + oracle_.size())}; }

  void judge(const Oracle::Access& now, const Race* race) {
    const std::vector<Oracle::Meeting> truth = oracle_.access(now);
    Verdict verdict;
    if (race != nullptr) {
      ++races_;
      check_report(now, *race, truth);
      verdict = {true, race->address, index_of(race->previous.thread), race->previous.time,
                 race->previous.kind};
      for (Address byte = now.begin; byte < now.begin + now.size; ++byte) reported_.insert(byte);
    }
    verdicts_.push_back(verdict);
    for (const Oracle::Meeting& meeting : truth)
      ASSERT_TRUE(reported_.contains(meeting.byte)) << "a race at this byte was never reported";
  }

  void check_report(const Oracle::Access& now, const Race& race, const std::vector<Oracle::Meeting>& truth) {
    ASSERT_EQ(race.current.address, now.begin);
    ASSERT_EQ(race.current.size, now.size);
    ASSERT_EQ(index_of(race.current.thread), now.thread);
    ASSERT_EQ(race.current.time, now.time);
    ASSERT_EQ(race.current.kind, kind_of_op(now.op));
    ASSERT_EQ(race.current.deed, now.deed);
    ASSERT_EQ(race.current.pc, 1000 + oracle_.size() - 1);
    for (const Oracle::Meeting& meeting : truth)
      if (meeting.byte == race.address && matches(meeting.previous, race.previous)) return;
    FAIL() << "reported a pair that does not race: access " << oracle_.size() - 1 << " of thread "
           << now.thread;
  }

  bool matches(std::size_t index, const RaceAccess& previous) const {
    const Oracle::Access& p = oracle_[index];
    if (p.thread != index_of(previous.thread) || p.time != previous.time ||
        kind_of_op(p.op) != previous.kind || p.deed != previous.deed)
      return false;
    const bool is_volatile = p.op == AccessOp::kVolatileRead || p.op == AccessOp::kVolatileWrite;
    if (is_volatile != previous.is_volatile) return false;
    if (mode_ == Mode::kFast) return true;
    return previous.pc == 1000 + index && index_of(previous.stack) == 7 + index && previous.size == p.size &&
           (p.size > 16 || p.deed == Deed::kAllocation || previous.address == p.begin);
  }

  const Profile& profile_;
  const Mode mode_;
  Random random_;
  Threads threads_;
  Oracle oracle_;
  Address base_;
  std::uint32_t plain_percent_;
  std::set<Address> reported_;
  std::vector<Verdict> verdicts_;
  std::uint64_t races_ = 0;
};

class OracleTest : public ::testing::TestWithParam<Profile> {};

std::vector<std::vector<Verdict>> run_all(const Profile& profile, Mode mode, std::uint64_t& races) {
  StartedDetector started(mode);
  EXPECT_TRUE(started.started);
  std::vector<std::vector<Verdict>> verdicts;
  for (std::uint32_t i = 0; i < profile.executions && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(::testing::Message()
                 << profile.name << ", seed " << i << (mode == Mode::kFast ? " fast" : " precise"));
    Execution execution(profile, mode, mix(0x7ace, i));
    verdicts.push_back(execution.run());
    races += execution.races();
    detector.reset();
  }
  return verdicts;
}

TEST_P(OracleTest, AgreesWithTheDefinition) {
  std::uint64_t fast_races = 0, precise_races = 0;
  const auto fast = run_all(GetParam(), Mode::kFast, fast_races);
  const auto precise = run_all(GetParam(), Mode::kPrecise, precise_races);
  ASSERT_EQ(fast.size(), precise.size());
  for (std::size_t i = 0; i < fast.size(); ++i)
    EXPECT_TRUE(fast[i] == precise[i]) << "modes differ at seed " << i;
  EXPECT_GT(fast_races, GetParam().executions / 20) << "the profile hardly tests anything";
}

constexpr Profile kProfiles[] = {
    {"OneWord", 3, 2, 12, 60, 4000, 40, 5, 4},       {"FewThreads", 2, 1, 40, 120, 2000, 50, 10, 5},
    {"ManyThreads", 8, 4, 48, 200, 1500, 55, 10, 5}, {"MostlyOrdered", 4, 1, 64, 400, 800, 75, 10, 3},
    {"Rarely", 5, 3, 400, 300, 600, 40, 10, 5},      {"Ranges", 4, 3, 9000, 60, 150, 50, 60, 10},
    {"MoreThreads", 12, 2, 16, 200, 600, 60, 5, 3},
};
INSTANTIATE_TEST_SUITE_P(Random, OracleTest, ::testing::ValuesIn(kProfiles),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace heddle::race
