// A service that reports when it is ready to its clients.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

class Service {
public:
    void start()
    {
        port_.store(4242, std::memory_order_relaxed);
        ready_.store(true);
        cv_.notify_all();
    }

    int wait_ready()
    {
        if (!ready_.load()) {
            std::unique_lock<std::mutex> lk(m_);
            while (!ready_.load())
                cv_.wait(lk);
        }
        return port_.load(std::memory_order_relaxed);
    }

    void log_client(int id)
    {
        std::lock_guard<std::mutex> lk(m_);
        last_client_ = id;
        ++clients_;
    }

    int clients()
    {
        std::lock_guard<std::mutex> lk(m_);
        return last_client_ > 0 ? clients_ : 0;
    }

private:
    std::atomic<bool> ready_{false};
    std::atomic<int> port_{0};
    std::mutex m_;
    std::condition_variable cv_;
    int last_client_ = 0;
    int clients_ = 0;
};

int main()
{
    Service svc;
    auto client = [&](int id) {
        int port = svc.wait_ready();
        assert(port == 4242);
        svc.log_client(id);
    };

    std::thread c1(client, 1);
    std::thread c2(client, 2);
    std::thread s([&] { svc.start(); });
    s.join();
    c1.join();
    c2.join();
    assert(svc.clients() == 2);
    std::printf("%d clients\n", svc.clients());
    return 0;
}
