// Cache of address ranges to regions.  Lookups share the lock; a refresher
// moves the cache's clock on, after which older entries count as stale and
// are still served but noted for renewal.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

struct Region {
    std::string code;
    std::uint32_t last;
    unsigned loaded_at;
};

struct CacheStats {
    std::uint64_t fresh = 0;
    std::uint64_t stale = 0;
    std::uint64_t missing = 0;
};

class GeoCache {
public:
    explicit GeoCache(unsigned max_age) : max_age_(max_age) {}

    void load(std::uint32_t first, std::uint32_t last, const std::string& code) {
        std::unique_lock<std::shared_mutex> g(m_);
        ranges_[first] = Region{code, last, now_};
    }

    // The region of an address, or an empty string.
    std::string find(std::uint32_t address) {
        std::shared_lock<std::shared_mutex> g(m_);
        auto it = ranges_.upper_bound(address);
        if (it == ranges_.begin()) {
            missing_.fetch_add(1, std::memory_order_relaxed);
            return {};
        }
        --it;
        const Region& r = it->second;
        if (address > r.last) {
            missing_.fetch_add(1, std::memory_order_relaxed);
            return {};
        }
        if (now_ - r.loaded_at > max_age_)
            ++stale_;
        else
            fresh_.fetch_add(1, std::memory_order_relaxed);
        return r.code;
    }

    // Moves the clock on and renews the given number of the oldest ranges.
    void advance(unsigned renew) {
        std::unique_lock<std::shared_mutex> g(m_);
        ++now_;
        while (renew-- > 0) {
            auto oldest = ranges_.begin();
            for (auto it = ranges_.begin(); it != ranges_.end(); ++it)
                if (it->second.loaded_at < oldest->second.loaded_at)
                    oldest = it;
            oldest->second.loaded_at = now_;
        }
    }

    CacheStats stats() const {
        std::unique_lock<std::shared_mutex> g(m_);
        CacheStats s;
        s.fresh = fresh_.load(std::memory_order_relaxed);
        s.stale = stale_;
        s.missing = missing_.load(std::memory_order_relaxed);
        return s;
    }

private:
    const unsigned max_age_;
    mutable std::shared_mutex m_;
    std::map<std::uint32_t, Region> ranges_;
    unsigned now_ = 0;
    std::atomic<std::uint64_t> fresh_{0};
    std::atomic<std::uint64_t> missing_{0};
#ifdef CORRECT
    std::atomic<std::uint64_t> stale_{0};
#else
    std::uint64_t stale_ = 0;
#endif
};

struct Client {
    std::uint32_t seed;
    unsigned lookups = 0;
    unsigned found = 0;
    unsigned wrong = 0;
};

constexpr std::uint32_t kRanges = 24;
constexpr std::uint32_t kRangeSize = 256;
constexpr std::uint32_t kGap = 16;

static std::string code_of(std::uint32_t range) {
    return "R" + std::to_string(range);
}

static void resolve(GeoCache& cache, Client& c, int count, std::latch& start) {
    std::uint32_t x = c.seed;
    start.arrive_and_wait();
    for (int i = 0; i < count; ++i) {
        x = x * 1664525u + 1013904223u;
        const std::uint32_t range = (x >> 24) % kRanges;
        const std::uint32_t offset = (x >> 8) % kRangeSize;
        const std::string code = cache.find(range * kRangeSize + offset);
        ++c.lookups;
        if (code.empty()) {
            if (offset < kRangeSize - kGap)
                ++c.wrong;
        } else {
            ++c.found;
            if (code != code_of(range))
                ++c.wrong;
        }
    }
}

int main() {
    constexpr int kClients = 3;
    constexpr int kLookups = 150;
    constexpr int kAdvances = 6;

    GeoCache cache(3);
    for (std::uint32_t r = 0; r < kRanges; ++r)
        cache.load(r * kRangeSize, r * kRangeSize + kRangeSize - kGap - 1, code_of(r));

    for (int i = 0; i < 4; ++i)
        cache.advance(kRanges / 6);

    std::vector<Client> clients;
    for (std::uint32_t i = 0; i < kClients; ++i)
        clients.push_back(Client{11 + 7 * i});

    std::latch start(kClients + 1);
    std::vector<std::thread> threads;
    for (Client& c : clients)
        threads.emplace_back([&] { resolve(cache, c, kLookups, start); });
    threads.emplace_back([&] {
        start.arrive_and_wait();
        for (int i = 0; i < kAdvances; ++i)
            cache.advance(3);
    });
    for (auto& t : threads)
        t.join();

    const CacheStats s = cache.stats();
    std::uint64_t lookups = 0;
    std::uint64_t found = 0;
    for (const Client& c : clients) {
        assert(c.wrong == 0);
        lookups += c.lookups;
        found += c.found;
    }
    assert(lookups == static_cast<std::uint64_t>(kClients) * kLookups);
    assert(s.fresh + s.stale == found);
    assert(s.fresh + s.stale + s.missing == lookups);
    std::printf("%llu fresh, %llu stale, %llu missing\n",
                static_cast<unsigned long long>(s.fresh),
                static_cast<unsigned long long>(s.stale),
                static_cast<unsigned long long>(s.missing));
    return 0;
}
