#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

// Single-producer, single-consumer ring for audio samples.  The level meter
// peeks at the slots from the UI thread, therefore the slots are atomics too.
template <std::size_t Capacity>
class SampleRing {
    static_assert((Capacity & (Capacity - 1)) == 0, "capacity must be a power of two");

public:
    bool push(std::int32_t sample) {
        const std::size_t tail = tail_.load(std::memory_order_relaxed);
        if (tail - head_.load(std::memory_order_acquire) == Capacity)
            return false;
        slots_[tail & mask].store(sample, std::memory_order_relaxed);
        tail_.store(tail + 1, std::memory_order_relaxed);
        return true;
    }

    std::optional<std::int32_t> pop() {
        const std::size_t head = head_.load(std::memory_order_relaxed);
        if (head == tail_.load(std::memory_order_acquire))
            return std::nullopt;
        const std::int32_t sample = slots_[head & mask].load(std::memory_order_relaxed);
        head_.store(head + 1, std::memory_order_release);
        return sample;
    }

    std::int32_t peak() const {
        std::int32_t best = 0;
        for (const auto& s : slots_) {
            const std::int32_t v = s.load(std::memory_order_relaxed);
            if (v > best)
                best = v;
        }
        return best;
    }

private:
    static constexpr std::size_t mask = Capacity - 1;
    std::array<std::atomic<std::int32_t>, Capacity> slots_{};
    alignas(64) std::atomic<std::size_t> head_{0};
    alignas(64) std::atomic<std::size_t> tail_{0};
};

TEST(SampleRingTest, StartsEmpty) {
    SampleRing<4> ring;
    EXPECT_FALSE(ring.pop().has_value());
    EXPECT_EQ(ring.peak(), 0);
}

TEST(SampleRingTest, RefusesWhenFull) {
    SampleRing<4> ring;
    for (int i = 1; i <= 4; ++i)
        EXPECT_TRUE(ring.push(i));
    EXPECT_FALSE(ring.push(5));
    EXPECT_EQ(ring.pop(), 1);
    EXPECT_TRUE(ring.push(5));
    EXPECT_EQ(ring.peak(), 5);
}

TEST(SampleRingTest, StreamsInOrder) {
    SampleRing<4> ring;
    constexpr int count = 3;
    std::vector<std::int32_t> received;

    std::thread producer([&] {
        for (int i = 1; i <= count; ++i)
            ring.push(i * 100);
    });
    std::thread consumer([&] {
        for (int attempt = 0; attempt < 4; ++attempt) {
            if (auto sample = ring.pop())
                received.push_back(*sample);
        }
    });
    producer.join();
    consumer.join();
    while (auto sample = ring.pop())
        received.push_back(*sample);

    ASSERT_EQ(received.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        EXPECT_EQ(received[static_cast<std::size_t>(i)], (i + 1) * 100) << "sample " << i;
}
