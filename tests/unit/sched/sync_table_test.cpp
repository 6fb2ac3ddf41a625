#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "runtime/sched/sync_object.h"

namespace heddle::sched {
namespace {

class SyncTableTest : public testing::Test {
 protected:
  void SetUp() override { table_.start(); }
  SyncTable table_;
};

TEST_F(SyncTableTest, FindsWhatWasMade) {
  EXPECT_EQ(table_.find(0x1000), nullptr);
  SyncObject& mutex = table_.get(0x1000, SyncKind::kMutex);
  EXPECT_EQ(mutex.address, 0x1000u);
  EXPECT_EQ(mutex.kind, SyncKind::kMutex);
  EXPECT_EQ(table_.find(0x1000), &mutex);
  EXPECT_EQ(&table_.get(0x1000, SyncKind::kMutex), &mutex);
  EXPECT_EQ(table_.find(0x1001), nullptr);
  EXPECT_EQ(table_.count(), 1u);
}

TEST_F(SyncTableTest, NumbersFollowFirstUse) {
  EXPECT_EQ(table_.get(0x9000, SyncKind::kMutex).number, 1u);
  EXPECT_EQ(table_.get(0x1000, SyncKind::kCondition).number, 2u);
  EXPECT_EQ(table_.get(0x9000, SyncKind::kMutex).number, 1u);
}

TEST_F(SyncTableTest, AnotherKindAtTheAddressIsANewObject) {
  table_.get(0x1000, SyncKind::kMutex).count = 7;
  const SyncObject& condition = table_.get(0x1000, SyncKind::kCondition);
  EXPECT_EQ(condition.kind, SyncKind::kCondition);
  EXPECT_EQ(condition.count, 0u);
}

TEST_F(SyncTableTest, DropRangeForgetsExactlyTheRange) {
  for (Address a = 0x1000; a <= 0x1040; a += 0x10) table_.get(a, SyncKind::kMutex).count = 1;
  std::set<Address> dropped;
  table_.drop_range(0x1010, 0x1030, [&](SyncObject& o) { dropped.insert(o.address); });
  EXPECT_EQ(dropped, (std::set<Address>{0x1010, 0x1020}));
  EXPECT_NE(table_.find(0x1000), nullptr);
  EXPECT_EQ(table_.find(0x1010), nullptr);
  EXPECT_EQ(table_.find(0x1020), nullptr);
  EXPECT_NE(table_.find(0x1030), nullptr);
  EXPECT_EQ(table_.get(0x1010, SyncKind::kMutex).count, 0u);  // made anew
}

TEST_F(SyncTableTest, DropRangeAtTheEdges) {
  const auto no_visit = [](SyncObject& o) { FAIL() << o.address; };
  table_.drop_range(0, ~0ull, no_visit);  // empty
  table_.get(0x1000, SyncKind::kMutex);
  table_.drop_range(0, 0x1000, no_visit);
  table_.drop_range(0x1001, ~0ull, no_visit);
  table_.drop_range(0x1000, 0x1000, no_visit);
  int visits = 0;
  table_.drop_range(0x1000, 0x1001, [&](SyncObject&) { ++visits; });
  table_.drop_range(0x1000, 0x1001, [&](SyncObject&) { ++visits; });  // it is gone already
  EXPECT_EQ(visits, 1);
}

// Far past the first table, with addresses that a hash could pile up.
TEST_F(SyncTableTest, ReferencesStayValidWhileItGrows) {
  std::map<Address, SyncObject*> made;
  Random random(1);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const Address address = 0x6000'0000'0000 + (i < 10'000 ? Address{i} * 40 : (random.next() & 0xffff'fff8));
    SyncObject& object = table_.get(address, SyncKind::kMutex);
    object.mark = static_cast<std::uint32_t>(mix(address, 1));
    made[address] = &object;
  }
  EXPECT_EQ(table_.count(), made.size());
  for (const auto& [address, object] : made) {
    ASSERT_EQ(table_.find(address), object);
    ASSERT_EQ(object->address, address);
    ASSERT_EQ(object->mark, static_cast<std::uint32_t>(mix(address, 1)));
  }
}

}  // namespace
}  // namespace heddle::sched
