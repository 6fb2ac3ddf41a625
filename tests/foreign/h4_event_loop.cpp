// Event loop: tasks are posted from other threads, a pipe wakes the loop.
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
#include <poll.h>
#include <unistd.h>

class EventLoop {
public:
    EventLoop()
    {
        if (::pipe(wake_) != 0)
            std::abort();
    }

    ~EventLoop()
    {
        ::close(wake_[0]);
        ::close(wake_[1]);
    }

    void post(std::function<void()> task)
    {
        bool first;
        {
            std::lock_guard<std::mutex> lk(m_);
            first = tasks_.empty();
            tasks_.push_back(std::move(task));
        }
        // One byte per burst is enough.
        if (first) {
            char c = 'w';
            if (::write(wake_[1], &c, 1) != 1)
                std::abort();
        }
    }

    void run()
    {
        while (running_) {
            pollfd p{wake_[0], POLLIN, 0};
            int n = ::poll(&p, 1, -1);
            if (n < 0) {
                if (errno == EINTR)
                    continue;
                std::abort();
            }
            char buf[8];
            if (::read(wake_[0], buf, sizeof buf) <= 0)
                std::abort();
            // Take the tasks only after the wake-up was consumed.
            std::vector<std::function<void()>> todo;
            {
                std::lock_guard<std::mutex> lk(m_);
                todo.swap(tasks_);
            }
            for (auto& t : todo)
                t();
        }
    }

    // To be called in the loop.
    void quit() { running_ = false; }

private:
    int wake_[2];
    std::mutex m_;
    std::vector<std::function<void()>> tasks_;
    bool running_ = true; // belongs to the thread that runs the loop
};

int main()
{
    EventLoop loop;
    int sum = 0; // only touched by tasks

    std::thread runner([&] { loop.run(); });
    auto client = [&](int base) {
        for (int i = 0; i < 2; ++i)
            loop.post([&sum, v = base + i] { sum += v; });
    };
    std::thread a(client, 10), b(client, 20);
    a.join();
    b.join();
    loop.post([&] { loop.quit(); });
    runner.join();

    assert(sum == 62);
    std::printf("sum %d\n", sum);
    return 0;
}
