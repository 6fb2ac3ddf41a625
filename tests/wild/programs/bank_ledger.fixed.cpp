// bank_ledger.cpp - accounts, transfers and a nightly audit.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using Cents = int64_t;

class Account {
public:
    Account(int number, Cents opening) : number_(number), balance_(opening), low_water_(opening) {}

    int number() const { return number_; }

    Cents balance() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return balance_;
    }

    void deposit(Cents amount) {
        std::lock_guard<std::mutex> lock(mutex_);
        balance_ += amount;
        ++postings_;
    }

    bool withdraw(Cents amount) {
        std::lock_guard<std::mutex> lock(mutex_);
        if (balance_ < amount)
            return false;
        balance_ -= amount;
        ++postings_;
        if (balance_ < low_water_)
            low_water_ = balance_;
        return true;
    }

    // Smallest balance this account ever had.
    Cents low_water() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return low_water_;
    }

    int postings() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return postings_;
    }

private:
    const int number_;
    mutable std::mutex mutex_;
    Cents balance_;
    Cents low_water_;
    int postings_ = 0;
};

enum class Outcome { Done, Refused };

class Bank {
public:
    Bank(int accounts, Cents opening) {
        for (int i = 0; i < accounts; ++i)
            accounts_.push_back(std::make_unique<Account>(1000 + i, opening));
    }

    Account& account(size_t i) { return *accounts_[i]; }
    size_t size() const { return accounts_.size(); }

    // No account may be overdrawn; a transfer that would do so is refused.
    Outcome transfer(size_t from, size_t to, Cents amount) {
        Account& src = *accounts_[from];
        Account& dst = *accounts_[to];
        if (!src.withdraw(amount))
            return Outcome::Refused;
        dst.deposit(amount);
        return Outcome::Done;
    }

    Cents total() const {
        Cents sum = 0;
        for (const auto& a : accounts_)
            sum += a->balance();
        return sum;
    }

    bool audit(Cents expected) const {
        bool ok = true;
        if (total() != expected) {
            std::fprintf(stderr, "audit: money created or destroyed\n");
            ok = false;
        }
        for (const auto& a : accounts_)
            if (a->low_water() < 0) {
                std::fprintf(stderr, "audit: account %d was overdrawn (%lld)\n", a->number(),
                             static_cast<long long>(a->low_water()));
                ok = false;
            }
        return ok;
    }

private:
    std::vector<std::unique_ptr<Account>> accounts_;
};

class Rng {
public:
    explicit Rng(uint32_t seed) : s_(seed) {}
    uint32_t next(uint32_t below) {
        s_ ^= s_ << 13;
        s_ ^= s_ >> 17;
        s_ ^= s_ << 5;
        return s_ % below;
    }

private:
    uint32_t s_;
};

// One branch office works through its orders of the day.
static void branch(Bank& bank, uint32_t seed, int orders, int& done, int& refused) {
    Rng rng(seed);
    for (int i = 0; i < orders; ++i) {
        size_t from = rng.next(bank.size());
        size_t to = rng.next(bank.size());
        if (to == from)
            to = (to + 1) % bank.size();
        Cents amount = 100 + rng.next(4900);
        if (bank.transfer(from, to, amount) == Outcome::Done)
            ++done;
        else
            ++refused;
        // journal text of the order
        char line[80];
        std::snprintf(line, sizeof line, "%zu -> %zu %lld.%02lld", from, to,
                      static_cast<long long>(amount / 100), static_cast<long long>(amount % 100));
    }
}

int main() {
    const int kBranches = 3;
    const int kOrders = 120;
    const int kAccounts = 12;
    const Cents kOpening = 20000;

    Bank bank(kAccounts, kOpening);
    int done[kBranches] = {}, refused[kBranches] = {};
    std::vector<std::thread> threads;
    for (int b = 0; b < kBranches; ++b)
        threads.emplace_back(branch, std::ref(bank), 77u + 1013u * b, kOrders, std::ref(done[b]),
                             std::ref(refused[b]));
    for (auto& t : threads)
        t.join();

    int d = 0, r = 0;
    for (int b = 0; b < kBranches; ++b) {
        d += done[b];
        r += refused[b];
    }
    std::printf("%d transfers done, %d refused\n", d, r);
    if (!bank.audit(kAccounts * kOpening))
        std::abort();
    return 0;
}
