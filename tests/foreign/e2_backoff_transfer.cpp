// Accounts with several ways of taking two locks at once.
#include <cassert>
#include <cstdio>
#include <mutex>
#include <thread>

class Account {
public:
    explicit Account(long b) : balance_(b) {}

    void deposit(long amount)
    {
        std::lock_guard<std::recursive_mutex> g(m_);
        balance_ += amount;
        note();
    }

    void withdraw(long amount) { deposit(-amount); }

    long balance()
    {
        std::lock_guard<std::recursive_mutex> g(m_);
        return balance_;
    }

    std::recursive_mutex& mutex() { return m_; }
    int notes()
    {
        std::lock_guard<std::recursive_mutex> g(m_);
        return notes_;
    }

private:
    void note()
    {
        std::lock_guard<std::recursive_mutex> g(m_); // already held by deposit
        ++notes_;
    }

    std::recursive_mutex m_;
    long balance_;
    int notes_ = 0;
};

static void transfer(Account& from, Account& to, long amount)
{
    // In whatever order the arguments come: scoped_lock avoids the deadlock.
    std::scoped_lock both(from.mutex(), to.mutex());
    from.withdraw(amount);
    to.deposit(amount);
}

// Takes the second lock only if it is free, otherwise lets go of everything.
static long audit(Account& x, Account& y)
{
    for (;;) {
        std::unique_lock<std::recursive_mutex> first(y.mutex());
        std::unique_lock<std::recursive_mutex> second(x.mutex(), std::try_to_lock);
        if (second.owns_lock())
            return x.balance() + y.balance();
        first.unlock();
        std::this_thread::yield();
    }
}

int main()
{
    Account a(100), b(50);
    long seen = 0;

    std::thread t1([&] { transfer(a, b, 30); });
    std::thread t2([&] { transfer(b, a, 10); });
    std::thread t3([&] { seen = audit(a, b); });
    t1.join();
    t2.join();
    t3.join();

    assert(seen == 150);
    assert(a.balance() == 80 && b.balance() == 70);
    assert(a.notes() == 2 && b.notes() == 2);
    std::printf("%ld %ld\n", a.balance(), b.balance());
    return 0;
}
