// Orders are taken from a queue by two cooks.
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

class OrderQueue {
public:
    void add(int order)
    {
        {
            std::lock_guard<std::mutex> lk(m_);
            orders_.push_back(order);
        }
        available_.notify_one();
    }

    int take()
    {
        std::unique_lock<std::mutex> lk(m_);
        if (orders_.empty())
            available_.wait(lk);
        assert(!orders_.empty());
        int order = orders_.front();
        orders_.pop_front();
        return order;
    }

    bool idle()
    {
        std::lock_guard<std::mutex> lk(m_);
        return orders_.empty();
    }

private:
    std::mutex m_;
    std::condition_variable available_;
    std::deque<int> orders_;
};

int main()
{
    OrderQueue q;
    int cooked[2] = {0, 0};

    auto cook = [&](int id) { cooked[id] += q.take(); };
    std::thread c0(cook, 0);
    std::thread c1(cook, 1);
    std::thread waiter([&] {
        q.add(5);
        q.add(7);
    });

    waiter.join();
    c0.join();
    c1.join();
    assert(cooked[0] + cooked[1] == 12);
    assert(q.idle());
    std::printf("%d\n", cooked[0] + cooked[1]);
    return 0;
}
