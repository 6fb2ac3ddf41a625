// Per-thread counters that merge themselves into the totals at thread exit.
#include <barrier>
#include <cassert>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex totals_mutex;
std::map<std::string, int> totals;
int flushes = 0;

class LocalCounters {
public:
    void hit(const char* key) { ++counts_[key]; }

    ~LocalCounters()
    {
        std::lock_guard<std::mutex> lk(totals_mutex);
        for (const auto& [key, n] : counts_)
            totals[key] += n;
        ++flushes;
    }

private:
    std::map<std::string, int> counts_;
};

LocalCounters& local()
{
    thread_local LocalCounters counters;
    return counters;
}

constexpr int kThreads = 3;

void request_handler(int id, std::barrier<>& rounds)
{
    for (int round = 0; round < 2; ++round) {
        local().hit("requests");
        if ((id + round) % 2 == 0)
            local().hit("cache-hit");
        rounds.arrive_and_wait();
    }
}

} // namespace

int main()
{
    {
        std::barrier<> rounds(kThreads);
        std::vector<std::thread> pool;
        for (int i = 0; i < kThreads; ++i)
            pool.emplace_back(request_handler, i, std::ref(rounds));
        for (auto& t : pool)
            t.join();
    }

    // All the threads are gone, and with them their counters.
    assert(flushes == kThreads);
    assert(totals["requests"] == 2 * kThreads);
    assert(totals["cache-hit"] == 3);
    for (const auto& [key, n] : totals)
        std::printf("%s=%d\n", key.c_str(), n);
    return 0;
}
