// A registry guarded by a tiny test-and-set lock.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#include <immintrin.h>

class SpinLock {
public:
    void lock()
    {
        while (held_.exchange(true, std::memory_order_acquire))
            _mm_pause();
    }
    bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
    void unlock() { held_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> held_{false};
};

class Registry {
public:
    void add(std::string name)
    {
        std::lock_guard<SpinLock> g(lock_);
        names_.push_back(std::move(name));
    }

    // Opportunistic: gives up when somebody else is busy.
    bool maybe_compact()
    {
        std::unique_lock<SpinLock> g(lock_, std::try_to_lock);
        if (!g.owns_lock())
            return false;
        names_.shrink_to_fit();
        return true;
    }

    std::size_t size()
    {
        std::lock_guard<SpinLock> g(lock_);
        return names_.size();
    }

private:
    SpinLock lock_;
    std::vector<std::string> names_;
};

static std::atomic_flag claimed = ATOMIC_FLAG_INIT;

int main()
{
    Registry reg;
    std::atomic<int> compactions{0};
    int banner_writer = -1;

    auto body = [&](int id) {
        for (int i = 0; i < 2; ++i)
            reg.add("worker-" + std::to_string(id) + "/item-" + std::to_string(i));
        if (reg.maybe_compact())
            compactions.fetch_add(1, std::memory_order_relaxed);
        // Exactly one of the workers gets to write the banner.
        if (!claimed.test_and_set(std::memory_order_relaxed))
            banner_writer = id;
    };

    std::thread a(body, 0), b(body, 1), c(body, 2);
    a.join();
    b.join();
    c.join();

    assert(reg.size() == 6);
    assert(banner_writer >= 0 && banner_writer < 3);
    std::printf("%zu names, banner by a worker, compactions %s\n", reg.size(),
                compactions.load(std::memory_order_relaxed) ? "done" : "skipped");
}
