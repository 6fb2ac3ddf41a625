// metrics_registry.cpp - named counters and histograms for a request server.
//
// Request threads keep their own numbers and fold them into the shared
// registry once per batch, so the registry is touched only now and then.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

constexpr int kBuckets = 16;

struct LocalHistogram {
    std::array<uint32_t, kBuckets> buckets{};
    uint64_t sum = 0;
    uint32_t count = 0;

    void record(uint32_t micros) {
        int b = 0;
        for (uint32_t v = micros; v > 1 && b < kBuckets - 1; v >>= 1)
            ++b;
        ++buckets[b];
        sum += micros;
        ++count;
    }

    void reset() { *this = LocalHistogram(); }
};

class Histogram {
public:
    explicit Histogram(std::string name) : name_(std::move(name)) {}

    void merge(const LocalHistogram& h) {
        std::lock_guard<std::mutex> lock(mutex_);
        for (int i = 0; i < kBuckets; ++i)
            buckets_[i] += h.buckets[i];
        sum_ += h.sum;
        count_ += h.count;
    }

    const std::string& name() const { return name_; }
    uint64_t count() const { return count_; }
    uint64_t sum() const { return sum_; }

    uint64_t bucket_total() const {
        uint64_t n = 0;
        for (auto b : buckets_)
            n += b;
        return n;
    }

    // Upper bound of the bucket holding the given percentile.
    uint32_t percentile(int pct) const {
        uint64_t want = count_ * pct / 100, seen = 0;
        for (int i = 0; i < kBuckets; ++i) {
            seen += buckets_[i];
            if (seen >= want)
                return 2u << i;
        }
        return 2u << kBuckets;
    }

private:
    std::string name_;
    std::mutex mutex_;
    std::array<uint32_t, kBuckets> buckets_{};
    uint64_t sum_ = 0;
    uint64_t count_ = 0;
};

class Registry {
public:
    // Creates the histogram when it is asked for the first time; the reference
    // stays valid for the life of the registry.
    Histogram& histogram(const std::string& name) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto& slot = histograms_[name];
        if (!slot)
            slot = std::make_unique<Histogram>(name);
        return *slot;
    }

    template <typename F>
    void for_each(F f) {
        std::lock_guard<std::mutex> lock(mutex_);
        for (auto& kv : histograms_)
            f(*kv.second);
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Histogram>> histograms_;
};

// A request: parse, hash, format. Returns its cost.
static uint32_t serve(uint32_t id) {
    char line[64];
    int n = std::snprintf(line, sizeof line, "GET /item/%u?rev=%u", id, id * 31 % 97);
    uint32_t h = 5381;
    for (int rounds = 0; rounds < 3; ++rounds)
        for (int i = 0; i < n; ++i)
            h = h * 33 + static_cast<unsigned char>(line[i]);
    return h % 20000;
}

static void request_thread(Registry& registry, uint32_t first, int batches, int per_batch,
                           uint64_t& expected_sum) {
    Histogram& latency = registry.histogram("request.latency_us");
    LocalHistogram local;
    uint32_t id = first;
    for (int b = 0; b < batches; ++b) {
        for (int i = 0; i < per_batch; ++i) {
            uint32_t cost = serve(id++);
            local.record(cost);
            expected_sum += cost;
        }
        latency.merge(local);
        local.reset();
    }
}

int main() {
    const int kThreads = 3;
    const int kBatches = 30;
    const int kPerBatch = 40;

    Registry registry;
    registry.histogram("gc.pause_us");
    uint64_t sums[kThreads] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back(request_thread, std::ref(registry), 10000u * t, kBatches, kPerBatch,
                             std::ref(sums[t]));
    for (auto& t : threads)
        t.join();

    registry.for_each([](Histogram& h) {
        std::printf("%-20s n=%llu p50<%u p99<%u\n", h.name().c_str(),
                    static_cast<unsigned long long>(h.count()), h.percentile(50), h.percentile(99));
    });

    const Histogram& h = registry.histogram("request.latency_us");
    const uint64_t expected = uint64_t(kThreads) * kBatches * kPerBatch;
    uint64_t sum = 0;
    for (auto s : sums)
        sum += s;
    if (h.count() != expected || h.bucket_total() != expected || h.sum() != sum) {
        std::fprintf(stderr, "request.latency_us does not add up\n");
        std::abort();
    }
    return 0;
}
