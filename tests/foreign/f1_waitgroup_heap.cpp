// A wait group per batch, allocated and released by the one who waits.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

class WaitGroup {
public:
    explicit WaitGroup(int n) : left_(n) {}

    void done()
    {
        {
            std::lock_guard<std::mutex> lk(m_);
            --left_;
        }
        cv_.notify_all(); // outside of the lock: the waiter can run at once
    }

    void wait()
    {
        std::unique_lock<std::mutex> lk(m_);
        cv_.wait(lk, [this] { return left_ == 0; });
    }

private:
    std::mutex m_;
    std::condition_variable cv_;
    int left_;
};

struct Batch {
    WaitGroup* wg;
    int input;
    int output = 0;
};

static void square(Batch& b)
{
    b.output = b.input * b.input;
    b.wg->done();
}

static std::atomic<int> batches{0};

int main()
{
    auto* wg = new WaitGroup(2);
    Batch one{wg, 3}, two{wg, 4};

    std::thread t1(square, std::ref(one));
    std::thread t2(square, std::ref(two));

    wg->wait();
    delete wg;
    int sum = one.output + two.output;
    batches.fetch_add(1, std::memory_order_relaxed);

    t1.join();
    t2.join();
    std::printf("sum %d in %d batch\n", sum, batches.load());
    return 0;
}
