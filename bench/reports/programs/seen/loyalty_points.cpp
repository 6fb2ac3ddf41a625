// Customer loyalty accounts, updated by several checkout lanes.
#include <cassert>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// A value that is only reachable under its own mutex.
template <typename T>
class Guarded {
public:
    Guarded() = default;
    explicit Guarded(T value) : value_(std::move(value)) {}

    T get() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return value_;
    }

    void set(T value) {
        std::lock_guard<std::mutex> lock(mutex_);
        value_ = std::move(value);
    }

    template <typename Fn>
    auto with(Fn&& fn) {
        std::lock_guard<std::mutex> lock(mutex_);
        return std::invoke(std::forward<Fn>(fn), value_);
    }

private:
    mutable std::mutex mutex_;
    T value_{};
};

struct Balance {
    long points = 0;
    int purchases = 0;
};

class LoyaltyAccount {
public:
    explicit LoyaltyAccount(std::string holder) : holder_(std::move(holder)) {}

    void credit(long cents) {
        Balance b = balance_.get();
        b.points += cents / 100;
        b.purchases += 1;
        balance_.set(b);
    }

    bool redeem(long points) {
        return balance_.with([points](Balance& b) {
            if (b.points < points)
                return false;
            b.points -= points;
            return true;
        });
    }

    Balance balance() const { return balance_.get(); }
    const std::string& holder() const { return holder_; }

private:
    std::string holder_;
    Guarded<Balance> balance_;
};

class LoyaltyProgram {
public:
    std::shared_ptr<LoyaltyAccount> account(const std::string& holder) {
        return accounts_.with([&](auto& all) {
            auto& slot = all[holder];
            if (!slot)
                slot = std::make_shared<LoyaltyAccount>(holder);
            return slot;
        });
    }

private:
    Guarded<std::map<std::string, std::shared_ptr<LoyaltyAccount>>> accounts_;
};

class CheckoutLane {
public:
    CheckoutLane(LoyaltyProgram& program, std::vector<long> receipts)
        : program_(program), receipts_(std::move(receipts)) {}

    void serve(const std::string& holder) {
        auto account = program_.account(holder);
        for (long cents : receipts_)
            account->credit(cents);
    }

private:
    LoyaltyProgram& program_;
    std::vector<long> receipts_;
};

int main() {
    LoyaltyProgram program;
    CheckoutLane lane1(program, {1250, 300, 999});
    CheckoutLane lane2(program, {4000, 150});

    std::thread t1([&] { lane1.serve("miller"); });
    std::thread t2([&] { lane2.serve("miller"); });
    t1.join();
    t2.join();

    const Balance b = program.account("miller")->balance();
    std::printf("miller: %ld points, %d purchases\n", b.points, b.purchases);
    assert(b.purchases == 5);
    assert(b.points == 12 + 3 + 9 + 40 + 1);
    return program.account("miller")->redeem(50) ? 0 : 1;
}
