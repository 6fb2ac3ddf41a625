// One-slot mailbox built on a test-and-set lock, for code that must not sleep.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

class SpinGuard {
public:
    explicit SpinGuard(std::atomic_flag& f) : flag_(f)
    {
        while (flag_.test_and_set(std::memory_order_acquire))
            std::this_thread::yield();
    }
    ~SpinGuard() { flag_.clear(std::memory_order_release); }
    SpinGuard(const SpinGuard&) = delete;
    SpinGuard& operator=(const SpinGuard&) = delete;

private:
    std::atomic_flag& flag_;
};

class Mailbox {
public:
    void put(int v)
    {
        SpinGuard g(lock_);
        value_ = v;
        ++puts_;
        full_.store(true, std::memory_order_release);
    }

    int take()
    {
        SpinGuard g(lock_);
        while (!full_.load(std::memory_order_acquire))
            std::this_thread::yield();
        full_.store(false, std::memory_order_relaxed);
        return value_;
    }

    int puts()
    {
        SpinGuard g(lock_);
        return puts_;
    }

private:
    std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
    std::atomic<bool> full_{false};
    int value_ = 0;
    int puts_ = 0;
};

int main()
{
    Mailbox box;
    int got = 0;

    std::thread producer([&] {
        int v = 0;
        for (int i = 1; i <= 6; ++i)
            v += i;
        box.put(v);
    });
    std::thread consumer([&] { got = box.take(); });

    producer.join();
    consumer.join();
    assert(got == 21);
    assert(box.puts() == 1);
    std::printf("got %d\n", got);
    return 0;
}
