// In-memory index from record keys to file positions.  Buckets are guarded
// by a small set of stripe locks; the table grows as records come in.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <vector>

class StripeIndex {
public:
    StripeIndex() : buckets_(kStripes * 2) {}

    // Adds the key or moves it to a new position; true if it was new.
    bool put(std::uint32_t key, std::uint32_t position) {
        if (count_.load(std::memory_order_relaxed) > kMaxLoad * bucket_count())
            grow();
        std::shared_lock<std::shared_mutex> table(table_m_);
        const std::uint32_t h = mix(key);
        std::lock_guard<std::mutex> stripe(stripes_[h % kStripes]);
        std::unique_ptr<Node>& head = buckets_[h % buckets_.size()];
        for (Node* n = head.get(); n != nullptr; n = n->next.get()) {
            if (n->key == key) {
                n->position = position;
                return false;
            }
        }
        auto node = std::make_unique<Node>();
        node->key = key;
        node->position = position;
        node->next = std::move(head);
        head = std::move(node);
        count_.fetch_add(1, std::memory_order_relaxed);
        return true;
    }

    std::optional<std::uint32_t> get(std::uint32_t key) const {
        std::shared_lock<std::shared_mutex> table(table_m_);
        const std::uint32_t h = mix(key);
        std::lock_guard<std::mutex> stripe(stripes_[h % kStripes]);
        for (const Node* n = buckets_[h % buckets_.size()].get(); n != nullptr;
             n = n->next.get())
            if (n->key == key)
                return n->position;
        return std::nullopt;
    }

    std::size_t count() const { return count_.load(std::memory_order_relaxed); }

    // Walks all chains; only for use when nothing else runs.
    std::size_t walk() const {
        std::size_t nodes = 0;
        for (const auto& head : buckets_)
            for (const Node* n = head.get(); n != nullptr; n = n->next.get())
                ++nodes;
        return nodes;
    }

    std::size_t bucket_count() const {
        std::shared_lock<std::shared_mutex> table(table_m_);
        return buckets_.size();
    }

private:
    static constexpr std::size_t kStripes = 4;
    static constexpr std::size_t kMaxLoad = 4;

    struct Node {
        std::uint32_t key = 0;
        std::uint32_t position = 0;
        std::unique_ptr<Node> next;
    };

    static std::uint32_t mix(std::uint32_t k) {
        k ^= k >> 16;
        k *= 0x7feb352du;
        k ^= k >> 15;
        return k;
    }

    void grow() {
        std::unique_lock<std::shared_mutex> table(table_m_);
        if (count() <= kMaxLoad * buckets_.size())
            return;
#ifdef CORRECT
        std::vector<std::unique_ptr<Node>> bigger(buckets_.size() * 2);
#else
        std::vector<std::unique_ptr<Node>> bigger(buckets_.size() * 2 + 1);
#endif
        for (auto& head : buckets_) {
            while (head) {
                std::unique_ptr<Node> n = std::move(head);
                head = std::move(n->next);
                auto& slot = bigger[mix(n->key) % bigger.size()];
                n->next = std::move(slot);
                slot = std::move(n);
            }
        }
        buckets_.swap(bigger);
    }

    mutable std::shared_mutex table_m_;
    mutable std::array<std::mutex, kStripes> stripes_;
    std::vector<std::unique_ptr<Node>> buckets_;
    std::atomic<std::size_t> count_{0};
};

struct Loader {
    std::uint32_t first;
    std::uint32_t records;
    unsigned added = 0;
    unsigned misses = 0;
};

// Puts a range of records, re-reading some of the earlier ones on the way.
static void load(StripeIndex& index, Loader& l, std::latch& start) {
    start.arrive_and_wait();
    for (std::uint32_t i = 0; i < l.records; ++i) {
        const std::uint32_t key = l.first + i;
        if (index.put(key, key * 64))
            ++l.added;
        if (i % 8 == 7) {
            auto p = index.get(l.first + i / 2);
            if (!p || *p != (l.first + i / 2) * 64)
                ++l.misses;
        }
    }
}

int main() {
    constexpr std::uint32_t kLoaders = 2;
    constexpr std::uint32_t kRecords = 100;

    StripeIndex index;
    std::vector<Loader> loaders;
    for (std::uint32_t i = 0; i < kLoaders; ++i)
        loaders.push_back(Loader{i * 10000 + 1, kRecords});

    std::latch start(kLoaders);
    std::vector<std::thread> threads;
    for (Loader& l : loaders)
        threads.emplace_back([&] { load(index, l, start); });
    for (auto& t : threads)
        t.join();

    std::size_t added = 0;
    for (const Loader& l : loaders) {
        assert(l.misses == 0);
        added += l.added;
        for (std::uint32_t i = 0; i < l.records; ++i) {
            auto p = index.get(l.first + i);
            assert(p && *p == (l.first + i) * 64);
        }
    }
    assert(added == kLoaders * kRecords);
    assert(index.count() == added);
    assert(index.walk() == added);
    std::printf("%zu records in %zu buckets\n", added, index.bucket_count());
    return 0;
}
