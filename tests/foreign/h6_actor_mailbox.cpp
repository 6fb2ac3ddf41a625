// Actors with a mailbox; a ready actor is put on the executor's run queue.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

class Actor {
public:
    // True if the actor must be put on the run queue.
    bool deliver(int msg)
    {
        {
            std::lock_guard<std::mutex> lk(m_);
            inbox_.push_back(msg);
        }
        return !scheduled_.exchange(true);
    }

    template <class Handler>
    void run(Handler&& handle)
    {
        while (auto msg = next())
            handle(*msg);
        scheduled_.store(false);
    }

private:
    std::optional<int> next()
    {
        std::lock_guard<std::mutex> lk(m_);
        if (inbox_.empty())
            return std::nullopt;
        int msg = inbox_.front();
        inbox_.pop_front();
        return msg;
    }

    std::mutex m_;
    std::deque<int> inbox_;
    std::atomic<bool> scheduled_{false};
};

class Executor {
public:
    Executor() : thread_([this] { loop(); }) {}

    ~Executor()
    {
        {
            std::lock_guard<std::mutex> lk(m_);
            stop_ = true;
        }
        ready_.notify_all();
        thread_.join();
    }

    void send(Actor& a, int msg)
    {
        if (a.deliver(msg)) {
            std::lock_guard<std::mutex> lk(m_);
            run_queue_.push_back(&a);
            ready_.notify_all();
        }
    }

    int wait_handled(int n)
    {
        std::unique_lock<std::mutex> lk(m_);
        progress_.wait(lk, [&] { return handled_ >= n; });
        return sum_;
    }

private:
    void loop()
    {
        std::unique_lock<std::mutex> lk(m_);
        for (;;) {
            ready_.wait(lk, [this] { return stop_ || !run_queue_.empty(); });
            if (run_queue_.empty())
                return;
            Actor* a = run_queue_.front();
            run_queue_.pop_front();
            lk.unlock();
            a->run([this](int msg) {
                std::lock_guard<std::mutex> g(m_);
                sum_ += msg;
                ++handled_;
                progress_.notify_all();
            });
            lk.lock();
        }
    }

    std::mutex m_;
    std::condition_variable ready_, progress_;
    std::deque<Actor*> run_queue_;
    int handled_ = 0;
    int sum_ = 0;
    bool stop_ = false;
    std::thread thread_;
};

int main()
{
    Actor actor;
    Executor exec;
    std::thread s1([&] { exec.send(actor, 3); });
    std::thread s2([&] { exec.send(actor, 4); });
    int sum = exec.wait_handled(2);
    s1.join();
    s2.join();
    assert(sum == 7);
    std::printf("sum %d\n", sum);
    return 0;
}
