// A small thread pool: packaged tasks, futures, stop tokens.
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

class Pool {
public:
    explicit Pool(int n)
    {
        for (int i = 0; i < n; ++i)
            threads_.emplace_back([this](std::stop_token st) { run(st); });
    }

    ~Pool()
    {
        for (auto& t : threads_)
            t.request_stop();
        threads_.clear(); // joins
        assert(tasks_.empty());
    }

    std::future<int> submit(std::function<int()> f)
    {
        std::packaged_task<int()> task(std::move(f));
        auto result = task.get_future();
        {
            std::lock_guard<std::mutex> lk(m_);
            tasks_.push_back(std::move(task));
        }
        cv_.notify_one();
        return result;
    }

private:
    void run(std::stop_token st)
    {
        for (;;) {
            std::packaged_task<int()> task;
            {
                std::unique_lock<std::mutex> lk(m_);
                // Work that was accepted is done, stop or not.
                cv_.wait(lk, st, [this] { return !tasks_.empty(); });
                if (tasks_.empty())
                    return;
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            task();
        }
    }

    std::mutex m_;
    std::condition_variable_any cv_;
    std::deque<std::packaged_task<int()>> tasks_;
    std::vector<std::jthread> threads_;
};

int main()
{
    int side_effect = 0;
    std::future<int> late;
    {
        Pool pool(2);
        auto a = pool.submit([] { return 3; });
        auto b = pool.submit([]() -> int { throw std::runtime_error("no such thing"); });
        late = pool.submit([&side_effect] {
            side_effect = 5;
            return 4;
        });

        bool thrown = false;
        try {
            b.get();
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        assert(thrown);
        assert(a.get() == 3);
        // "late" may still be queued here
    }
    assert(side_effect == 5);
    assert(late.get() == 4);
    std::puts("all tasks done");
    return 0;
}
