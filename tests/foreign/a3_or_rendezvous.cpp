// Batches of workers that exchange partial results at a bit-mask rendezvous.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kWorkers = 3;
constexpr unsigned kAll = (1u << kWorkers) - 1;

class Rendezvous {
public:
    void arrive_and_wait(unsigned id)
    {
        arrived_.fetch_or(1u << id, std::memory_order_acq_rel);
        while (arrived_.fetch_or(0, std::memory_order_acquire) != kAll)
            std::this_thread::yield();
        if (id == 0)
            arrived_.store(0, std::memory_order_release); // ready for the next batch
    }

private:
    std::atomic<unsigned> arrived_{0};
};

struct Batch {
    int input[kWorkers];
    int partial[kWorkers];
    int total[kWorkers];
};

Rendezvous meet;

void work(Batch& b, unsigned id)
{
    b.partial[id] = b.input[id] * b.input[id];
    meet.arrive_and_wait(id);
    int sum = 0;
    for (unsigned i = 0; i < kWorkers; ++i)
        sum += b.partial[i];
    b.total[id] = sum;
}

int run_batch(int base)
{
    Batch b{};
    for (unsigned i = 0; i < kWorkers; ++i)
        b.input[i] = base + static_cast<int>(i);

    std::vector<std::thread> pool;
    for (unsigned id = 0; id < kWorkers; ++id)
        pool.emplace_back(work, std::ref(b), id);
    for (auto& t : pool)
        t.join();

    for (unsigned i = 1; i < kWorkers; ++i)
        assert(b.total[i] == b.total[0]);
    return b.total[0];
}

} // namespace

int main()
{
    int first = run_batch(1);
    int second = run_batch(2);
    std::printf("%d %d\n", first, second);
    return 0;
}
