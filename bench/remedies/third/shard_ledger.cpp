// Ledger of accounts with one lock each.  Account 0 is the reserve: accounts
// that run low are topped up from it, and surplus is swept back into it.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

using Amount = std::int64_t;

class Ledger {
public:
    Ledger(std::size_t accounts, Amount reserve, Amount opening) {
        for (std::size_t i = 0; i < accounts; ++i) {
            accounts_.push_back(std::make_unique<Account>());
            accounts_.back()->balance = i == kReserve ? reserve : opening;
        }
    }

    // Moves the amount if the source covers it.
    bool transfer(std::size_t from, std::size_t to, Amount amount) {
        assert(from != to && amount > 0);
        bool low = false;
        {
            Account& lower = *accounts_[from < to ? from : to];
            Account& upper = *accounts_[from < to ? to : from];
            std::lock_guard<std::mutex> first(lower.m);
            std::lock_guard<std::mutex> second(upper.m);
            Account& source = *accounts_[from];
            if (source.balance < amount)
                return false;
            source.balance -= amount;
            source.moves += 1;
            accounts_[to]->balance += amount;
            accounts_[to]->moves += 1;
            low = from != kReserve && source.balance < kFloor;
        }
        if (low)
            top_up(from);
        return true;
    }

    // Returns what exceeds the ceiling of all accounts to the reserve.
    Amount sweep() {
        Amount swept = 0;
        Account& reserve = *accounts_[kReserve];
        std::lock_guard<std::mutex> r(reserve.m);
        for (std::size_t i = 1; i < accounts_.size(); ++i) {
            Account& a = *accounts_[i];
            std::lock_guard<std::mutex> g(a.m);
            if (a.balance > kCeiling) {
                const Amount surplus = a.balance - kCeiling;
                a.balance -= surplus;
                reserve.balance += surplus;
                swept += surplus;
            }
        }
        return swept;
    }

    Amount total() const {
        Amount sum = 0;
        for (const auto& a : accounts_) {
            std::lock_guard<std::mutex> g(a->m);
            assert(a->balance >= 0);
            sum += a->balance;
        }
        return sum;
    }

    int top_ups() const { return top_ups_.load(std::memory_order_relaxed); }
    std::size_t size() const { return accounts_.size(); }

private:
    static constexpr std::size_t kReserve = 0;
    static constexpr Amount kFloor = 20;
    static constexpr Amount kCeiling = 180;

    struct Account {
        std::mutex m;
        Amount balance = 0;
        unsigned moves = 0;
    };

    void top_up(std::size_t index) {
        Account& account = *accounts_[index];
        Account& reserve = *accounts_[kReserve];
#ifdef CORRECT
        std::lock_guard<std::mutex> r(reserve.m);
        std::lock_guard<std::mutex> a(account.m);
#else
        std::lock_guard<std::mutex> a(account.m);
        std::lock_guard<std::mutex> r(reserve.m);
#endif
        if (account.balance >= kFloor)
            return;
        const Amount missing = kFloor * 2 - account.balance;
        const Amount given = reserve.balance < missing ? reserve.balance : missing;
        reserve.balance -= given;
        account.balance += given;
        top_ups_.fetch_add(1, std::memory_order_relaxed);
    }

    std::vector<std::unique_ptr<Account>> accounts_;
    std::atomic<int> top_ups_{0};
};

struct Clerk {
    std::uint32_t seed;
    int done = 0;
    int declined = 0;
};

static void work(Ledger& ledger, Clerk& c, int count) {
    std::uint32_t x = c.seed;
    const auto accounts = static_cast<std::uint32_t>(ledger.size() - 1);
    for (int i = 0; i < count; ++i) {
        x = x * 1664525u + 1013904223u;
        const std::size_t from = 1 + (x >> 24) % accounts;
        std::size_t to = 1 + (x >> 16) % accounts;
        if (to == from)
            to = 1 + to % accounts;
        const Amount amount = 5 + (x >> 8) % 23;
        if (ledger.transfer(from, to, amount))
            ++c.done;
        else
            ++c.declined;
    }
}

int main() {
    constexpr std::size_t kAccounts = 9;
    constexpr int kTransfers = 150;
    constexpr int kSweeps = 30;

    Ledger ledger(kAccounts, 400, 100);
    const Amount before = ledger.total();

    std::vector<Clerk> clerks = {Clerk{3}, Clerk{4}};
    Amount swept = 0;
    std::vector<std::thread> threads;
    for (Clerk& c : clerks)
        threads.emplace_back([&ledger, &c] { work(ledger, c, kTransfers); });
    threads.emplace_back([&] {
        for (int i = 0; i < kSweeps; ++i)
            swept += ledger.sweep();
    });
    for (auto& t : threads)
        t.join();

    int done = 0;
    for (const Clerk& c : clerks) {
        assert(c.done + c.declined == kTransfers);
        done += c.done;
    }
    assert(ledger.total() == before);
    std::printf("%d transfers, %d top-ups, %lld swept\n", done, ledger.top_ups(),
                static_cast<long long>(swept));
    return 0;
}
