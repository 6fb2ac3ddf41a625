#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Lease {
    std::string holder;
    int generation = 0;
    bool active = true;
};

// Address leases by host name.  Renewal asks an authority for every lease;
// the authority may be slow, so it is not called with the table locked.
class LeaseTable {
public:
    using Authority = std::function<int(const std::string& host, const Lease&)>;

    explicit LeaseTable(Authority authority) : authority_(std::move(authority)) {}

    bool grant(const std::string& host, std::string holder) {
        std::lock_guard<std::mutex> lock(mutex_);
        return leases_.emplace(host, Lease{std::move(holder)}).second;
    }

    bool release(const std::string& host) {
        std::lock_guard<std::mutex> lock(mutex_);
        return leases_.erase(host) == 1;
    }

    int renewAll() {
        int renewed = 0;
        std::unique_lock<std::mutex> lock(mutex_);
        for (auto it = leases_.begin(); it != leases_.end(); ++it) {
            const std::string host = it->first;
            const Lease before = it->second;
            lock.unlock();
            const int generation = authority_(host, before);
            lock.lock();
            it->second.generation = generation;
            ++renewed;
        }
        return renewed;
    }

    std::optional<Lease> find(const std::string& host) const {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = leases_.find(host);
        if (it == leases_.end())
            return std::nullopt;
        return it->second;
    }

    std::size_t size() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return leases_.size();
    }

private:
    Authority authority_;
    mutable std::mutex mutex_;
    std::map<std::string, Lease> leases_;
};

static int nextGeneration(const std::string&, const Lease& lease) {
    return lease.generation + 1;
}

TEST(LeaseTableTest, GrantIsExclusive) {
    LeaseTable table(nextGeneration);
    EXPECT_TRUE(table.grant("printer", "kim"));
    EXPECT_FALSE(table.grant("printer", "lou"));
    ASSERT_TRUE(table.find("printer").has_value());
    EXPECT_EQ(table.find("printer")->holder, "kim");
}

TEST(LeaseTableTest, RenewBumpsGeneration) {
    LeaseTable table(nextGeneration);
    table.grant("printer", "kim");
    table.grant("scanner", "lou");
    EXPECT_EQ(table.renewAll(), 2);
    EXPECT_EQ(table.renewAll(), 2);
    EXPECT_EQ(table.find("scanner")->generation, 2);
}

TEST(LeaseTableTest, ReleaseDuringRenewal) {
    LeaseTable table(nextGeneration);
    table.grant("camera", "kim");
    table.grant("printer", "lou");
    table.grant("scanner", "max");

    int renewed = 0;
    std::thread renewer([&] { renewed = table.renewAll(); });
    std::thread leaver([&] { EXPECT_TRUE(table.release("printer")); });
    renewer.join();
    leaver.join();

    EXPECT_GE(renewed, 2);
    EXPECT_EQ(table.size(), 2u);
    EXPECT_EQ(table.find("camera")->generation, 1);
    EXPECT_EQ(table.find("scanner")->generation, 1);
}

TEST(LeaseTableTest, ReleaseUnknownHost) {
    LeaseTable table(nextGeneration);
    EXPECT_FALSE(table.release("nobody"));
}
