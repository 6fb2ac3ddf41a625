// Work stealing over a small tree of tasks.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace {

struct Task {
    int depth;
    int value;
};

constexpr int kWorkers = 2;

class Scheduler {
public:
    void spawn(int worker, Task t)
    {
        // Counted before it becomes visible, so that the count never
        // drops to zero while there is a task somewhere.
        pending_.fetch_add(1, std::memory_order_relaxed);
        std::lock_guard<std::mutex> lk(queues_[worker].m);
        queues_[worker].tasks.push_back(t);
    }

    void work(int me)
    {
        while (pending_.load(std::memory_order_acquire) != 0) {
            std::optional<Task> t = pop(me);
            for (int i = 1; !t && i < kWorkers; ++i)
                t = steal((me + i) % kWorkers);
            if (!t) {
                std::this_thread::yield();
                continue;
            }
            execute(me, *t);
            pending_.fetch_sub(1, std::memory_order_acq_rel);
        }
    }

    long leaves() const
    {
        long n = 0;
        for (const auto& q : queues_)
            n += q.leaf_sum;
        return n;
    }

private:
    struct Queue {
        std::mutex m;
        std::deque<Task> tasks;
        long leaf_sum = 0; // owner only
    };

    std::optional<Task> pop(int w)
    {
        std::lock_guard<std::mutex> lk(queues_[w].m);
        if (queues_[w].tasks.empty())
            return std::nullopt;
        Task t = queues_[w].tasks.back();
        queues_[w].tasks.pop_back();
        return t;
    }

    std::optional<Task> steal(int victim)
    {
        std::unique_lock<std::mutex> lk(queues_[victim].m, std::try_to_lock);
        if (!lk.owns_lock() || queues_[victim].tasks.empty())
            return std::nullopt;
        Task t = queues_[victim].tasks.front();
        queues_[victim].tasks.pop_front();
        return t;
    }

    void execute(int me, Task t)
    {
        if (t.depth == 0) {
            queues_[me].leaf_sum += t.value;
            return;
        }
        spawn(me, {t.depth - 1, 2 * t.value});
        spawn(me, {t.depth - 1, 2 * t.value + 1});
    }

    std::array<Queue, kWorkers> queues_;
    std::atomic<int> pending_{0};
};

} // namespace

int main()
{
    Scheduler s;
    s.spawn(0, {2, 1});
    std::vector<std::thread> pool;
    for (int w = 0; w < kWorkers; ++w)
        pool.emplace_back([&s, w] { s.work(w); });
    for (auto& t : pool)
        t.join();
    assert(s.leaves() == 4 + 5 + 6 + 7);
    std::printf("leaf sum %ld\n", s.leaves());
    return 0;
}
