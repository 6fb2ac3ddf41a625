// Named channels behind a registry.
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Channel {
public:
    void push(int v)
    {
        std::lock_guard<std::mutex> lk(m_);
        items_.push_back(v);
        cv_.notify_one();
    }

    int pop()
    {
        std::unique_lock<std::mutex> lk(m_);
        cv_.wait(lk, [this] { return !items_.empty(); });
        int v = items_.front();
        items_.pop_front();
        return v;
    }

private:
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<int> items_;
};

class Registry {
public:
    void send(const std::string& name, int v)
    {
        std::lock_guard<std::mutex> lk(m_);
        channels_[name].push(v);
    }

    int receive(const std::string& name)
    {
        std::lock_guard<std::mutex> lk(m_);
        return channels_[name].pop();
    }

    std::size_t size()
    {
        std::lock_guard<std::mutex> lk(m_);
        return channels_.size();
    }

private:
    std::mutex m_; // guards channels_
    std::map<std::string, Channel> channels_;
};

int main()
{
    Registry reg;
    int got = 0;

    std::thread sender([&] {
        reg.send("metrics", 1);
        reg.send("orders", 42);
    });
    std::thread receiver([&] { got = reg.receive("orders"); });

    sender.join();
    receiver.join();
    assert(got == 42);
    std::printf("%d of %zu channels\n", got, reg.size());
    return 0;
}
