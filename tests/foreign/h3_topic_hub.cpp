// Publish/subscribe: the hub knows its subscribers only weakly.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::atomic<int> alive{0};

class Subscriber {
public:
    Subscriber() { alive.fetch_add(1, std::memory_order_relaxed); }
    ~Subscriber() { alive.fetch_sub(1, std::memory_order_relaxed); }

    void deliver(int event)
    {
        std::lock_guard<std::mutex> lk(m_);
        events_.push_back(event);
    }

    std::vector<int> events()
    {
        std::lock_guard<std::mutex> lk(m_);
        return events_;
    }

private:
    std::mutex m_;
    std::vector<int> events_;
};

class Hub {
public:
    void subscribe(const std::shared_ptr<Subscriber>& s)
    {
        std::lock_guard<std::mutex> lk(m_);
        subscribers_.push_back(s);
    }

    // Delivers outside of the lock; a subscriber may go away at any time.
    int publish(int event)
    {
        std::vector<std::shared_ptr<Subscriber>> targets;
        {
            std::lock_guard<std::mutex> lk(m_);
            for (auto it = subscribers_.begin(); it != subscribers_.end();) {
                if (auto s = it->lock()) {
                    targets.push_back(std::move(s));
                    ++it;
                } else {
                    it = subscribers_.erase(it);
                }
            }
        }
        for (auto& t : targets)
            t->deliver(event);
        return static_cast<int>(targets.size());
    }

private:
    std::mutex m_;
    std::vector<std::weak_ptr<Subscriber>> subscribers_;
};

} // namespace

int main()
{
    {
        Hub hub;
        auto steady = std::make_shared<Subscriber>();
        auto brief = std::make_shared<Subscriber>();
        hub.subscribe(steady);
        hub.subscribe(brief);

        int d1 = 0, d2 = 0;
        std::thread p1([&] { d1 = hub.publish(1); });
        std::thread p2([&] { d2 = hub.publish(2); });
        // The last reference may now be dropped by a publisher.
        std::thread leaver([s = std::move(brief)]() mutable { s.reset(); });
        p1.join();
        p2.join();
        leaver.join();

        assert(d1 >= 1 && d1 <= 2 && d2 >= 1 && d2 <= 2);
        assert(steady->events().size() == 2);
        assert(alive.load(std::memory_order_relaxed) == 1);
    }
    assert(alive.load(std::memory_order_relaxed) == 0);
    std::puts("published");
    return 0;
}
