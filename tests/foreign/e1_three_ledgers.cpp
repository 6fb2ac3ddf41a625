// Transfers between the ledgers of a small bank.
#include <array>
#include <cassert>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

struct Ledger {
    std::mutex m;
    long balance = 100;
    std::vector<long> entries;
};

class Bank {
public:
    bool transfer(std::size_t from, std::size_t to, long amount)
    {
        std::lock_guard<std::mutex> source(ledgers_[from].m);
        if (ledgers_[from].balance < amount)
            return false;
        std::lock_guard<std::mutex> target(ledgers_[to].m);
        post(ledgers_[from], -amount);
        post(ledgers_[to], amount);
        return true;
    }

    long total()
    {
        long sum = 0;
        for (auto& l : ledgers_) {
            std::lock_guard<std::mutex> g(l.m);
            sum += l.balance;
            assert(std::accumulate(l.entries.begin(), l.entries.end(), 100L) == l.balance);
        }
        return sum;
    }

private:
    static void post(Ledger& l, long amount)
    {
        l.balance += amount;
        l.entries.push_back(amount);
    }

    std::array<Ledger, 3> ledgers_;
};

int main()
{
    Bank bank;
    std::thread a([&] { bank.transfer(0, 1, 10); });
    std::thread b([&] { bank.transfer(1, 2, 20); });
    std::thread c([&] { bank.transfer(2, 0, 30); });
    a.join();
    b.join();
    c.join();
    assert(bank.total() == 300);
    std::printf("total %ld\n", bank.total());
    return 0;
}
