// A start gate whose condition variable is only needed until it opens.
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class StartGate {
public:
    void pass()
    {
        std::unique_lock<std::mutex> lk(m_);
        ++arrived_;
        while (!open_)
            cv_->wait(lk);
        ++passed_;
    }

    // Everybody who waits has been notified before the condition variable
    // goes away, and nobody waits any more once open_ is set. The woken
    // threads only need the mutex, which stays.
    void open()
    {
        std::lock_guard<std::mutex> lk(m_);
        open_ = true;
        cv_->notify_all();
        cv_.reset();
    }

    int passed()
    {
        std::lock_guard<std::mutex> lk(m_);
        return passed_;
    }

private:
    std::mutex m_;
    std::unique_ptr<std::condition_variable> cv_ = std::make_unique<std::condition_variable>();
    bool open_ = false;
    int arrived_ = 0;
    int passed_ = 0;
};

int main()
{
    StartGate gate;
    std::vector<std::thread> runners;
    for (int i = 0; i < 3; ++i)
        runners.emplace_back([&] { gate.pass(); });
    gate.open();
    for (auto& t : runners)
        t.join();
    assert(gate.passed() == 3);
    std::printf("%d passed\n", gate.passed());
    return 0;
}
