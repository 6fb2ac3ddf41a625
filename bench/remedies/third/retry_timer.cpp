// Request tracker with retries on a tick-driven timer service: a request
// that is not answered in time is sent again until its attempts are used up.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

class TimerService {
public:
    using Callback = std::function<void(std::uint64_t)>;

    // Calls cb with the returned id once, `delay` ticks from now.
    std::uint64_t arm(unsigned delay, Callback cb) {
        std::lock_guard<std::mutex> g(m_);
        const std::uint64_t id = ++last_id_;
        armed_.push(Entry{now_ + delay, id, std::move(cb)});
        return id;
    }

    // Moves time on by one tick and fires what has become due.
    void tick() {
        std::vector<Entry> due;
        {
            std::lock_guard<std::mutex> g(m_);
            ++now_;
            while (!armed_.empty() && armed_.top().at <= now_) {
                due.push_back(armed_.top());
                armed_.pop();
            }
        }
        for (Entry& e : due)
            e.cb(e.id);
    }

    bool idle() const {
        std::lock_guard<std::mutex> g(m_);
        return armed_.empty();
    }

private:
    struct Entry {
        std::uint64_t at;
        std::uint64_t id;
        Callback cb;
        bool operator<(const Entry& o) const {
            return at != o.at ? at > o.at : id > o.id;
        }
    };

    mutable std::mutex m_;
    std::priority_queue<Entry> armed_;
    std::uint64_t now_ = 0;
    std::uint64_t last_id_ = 0;
};

class RetryTracker {
public:
    explicit RetryTracker(TimerService& timers) : timers_(timers) {}

    void submit(int request) { send(request, 1); }

    // Takes the answer for one of the requests still waiting, if any.
    bool answer_any() {
        std::lock_guard<std::mutex> g(m_);
        if (waiting_.empty())
            return false;
        waiting_.erase(waiting_.begin());
        ++answered_;
        return true;
    }

    int answered() const { return answered_; }
    int given_up() const { return given_up_; }
    int resent() const { return resent_; }
    std::size_t waiting() const { return waiting_.size(); }

private:
    static constexpr int kAttempts = 3;

    struct Pending {
        int request;
        int attempt;
    };

    void send(int request, int attempt) {
        const unsigned delay = 1u << attempt;
#ifdef CORRECT
        std::lock_guard<std::mutex> g(m_);
        const std::uint64_t id =
            timers_.arm(delay, [this](std::uint64_t t) { expired(t); });
#else
        const std::uint64_t id =
            timers_.arm(delay, [this](std::uint64_t t) { expired(t); });
        std::lock_guard<std::mutex> g(m_);
#endif
        waiting_[id] = Pending{request, attempt};
    }

    void expired(std::uint64_t id) {
        Pending p;
        {
            std::lock_guard<std::mutex> g(m_);
            auto it = waiting_.find(id);
            if (it == waiting_.end())
                return; // answered in time
            p = it->second;
            waiting_.erase(it);
            if (p.attempt == kAttempts) {
                ++given_up_;
                return;
            }
            ++resent_;
        }
        send(p.request, p.attempt + 1);
    }

    TimerService& timers_;
    std::mutex m_;
    std::unordered_map<std::uint64_t, Pending> waiting_;
    int answered_ = 0;
    int given_up_ = 0;
    int resent_ = 0;
};

int main() {
    constexpr int kClients = 2;
    constexpr int kRequests = 30;
    constexpr int kTicks = 120;

    TimerService timers;
    RetryTracker tracker(timers);
    std::atomic<int> taken{0};

    std::vector<std::thread> threads;
    for (int c = 0; c < kClients; ++c) {
        threads.emplace_back([&, c] {
            for (int i = 0; i < kRequests; ++i) {
                tracker.submit(c * 1000 + i);
                if (i % 5 == 4 && tracker.answer_any())
                    taken.fetch_add(1);
            }
        });
    }
    threads.emplace_back([&] {
        for (int i = 0; i < kTicks; ++i)
            timers.tick();
    });
    for (auto& t : threads)
        t.join();
    while (!timers.idle())
        timers.tick();

    assert(tracker.waiting() == 0);
    assert(tracker.answered() == taken.load());
    assert(tracker.answered() + tracker.given_up() == kClients * kRequests);
    std::printf("%d answered, %d given up, %d sent again\n", tracker.answered(),
                tracker.given_up(), tracker.resent());
    return 0;
}
