// Start-up of three stages where nobody knows who comes first.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>

namespace {

struct Startup {
    std::mutex m;
    std::condition_variable cv;
    bool database_up = false;

    std::counting_semaphore<4> permits{0};
    std::atomic<int> phase{0};
    int cache_entries = 0; // handed over by phase
    int connections = 0;   // handed over by permits
};

void database(Startup& s)
{
    {
        std::lock_guard<std::mutex> lk(s.m);
        s.database_up = true;
    }
    // Perhaps nobody waits yet; they will look at the flag first.
    s.cv.notify_one();
    s.connections = 2;
    s.permits.release(2);
}

void cache(Startup& s)
{
    {
        std::unique_lock<std::mutex> lk(s.m);
        while (!s.database_up)
            s.cv.wait(lk);
    }
    s.permits.acquire();
    assert(s.connections == 2);
    s.cache_entries = 10 * s.connections;
    s.phase.store(1);
    s.phase.notify_one();
}

int frontend(Startup& s)
{
    s.permits.acquire();
    int c = s.connections;
    s.phase.wait(0, std::memory_order_acquire);
    return c + s.cache_entries;
}

} // namespace

int main()
{
    auto s = std::make_unique<Startup>();
    int result = 0;

    std::thread f([&] { result = frontend(*s); });
    std::thread c([&] { cache(*s); });
    std::thread d([&] { database(*s); });
    d.join();
    c.join();
    f.join();
    s.reset(); // all the users are gone

    assert(result == 22);
    std::printf("%d\n", result);
    return 0;
}
