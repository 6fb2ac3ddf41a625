// Single-producer single-consumer ring with cached indices.
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <utility>

template <class T, std::size_t N>
class SpscRing {
public:
    bool push(T v)
    {
        const std::size_t t = tail_.load(std::memory_order_relaxed);
        if (t - head_cache_ == N) {
            head_cache_ = head_.load(std::memory_order_acquire);
            if (t - head_cache_ == N)
                return false;
        }
        slots_[t % N] = std::move(v);
        tail_.store(t + 1, std::memory_order_release);
        return true;
    }

    bool pop(T& out)
    {
        const std::size_t h = head_.load(std::memory_order_relaxed);
        if (h == tail_cache_) {
            tail_cache_ = tail_.load(std::memory_order_acquire);
            if (h == tail_cache_)
                return false;
        }
        out = std::move(slots_[h % N]);
        head_.store(h + 1, std::memory_order_release);
        return true;
    }

private:
    std::array<T, N> slots_{};
    alignas(64) std::atomic<std::size_t> head_{0};
    alignas(64) std::atomic<std::size_t> tail_{0};
    alignas(64) std::size_t head_cache_ = 0; // producer only
    alignas(64) std::size_t tail_cache_ = 0; // consumer only
};

struct Sample {
    int sequence = 0;
    int value = 0;
};

constexpr int kSamples = 5;

int main()
{
    SpscRing<Sample, 2> ring;
    long sum = 0;

    std::thread producer([&] {
        for (int i = 0; i < kSamples; ++i)
            while (!ring.push({i, i * 3}))
                std::this_thread::yield();
    });
    std::thread consumer([&] {
        for (int i = 0; i < kSamples; ++i) {
            Sample s;
            while (!ring.pop(s))
                std::this_thread::yield();
            assert(s.sequence == i);
            sum += s.value;
        }
    });

    producer.join();
    consumer.join();
    assert(sum == 30);
    std::printf("sum %ld\n", sum);
    return 0;
}
