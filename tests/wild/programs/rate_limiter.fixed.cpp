// rate_limiter.cpp - API gateway with one token bucket per tenant.
//
// Time is counted in requests ("ticks"), which keeps the demo reproducible.

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

class TokenBucket {
public:
    TokenBucket(std::string tenant, int capacity) : tenant_(std::move(tenant)), tokens_(capacity), issued_(capacity) {}

    // Takes `cost` tokens if there are that many.
    bool try_acquire(int cost) {
        int available = tokens_.load(std::memory_order_acquire);
        do {
            if (available < cost)
                return false;
        } while (!tokens_.compare_exchange_weak(available, available - cost, std::memory_order_acq_rel));
        granted_.fetch_add(cost, std::memory_order_relaxed);
        return true;
    }

    void refill(int n) {
        issued_.fetch_add(n, std::memory_order_relaxed);
        tokens_.fetch_add(n, std::memory_order_acq_rel);
    }

    const std::string& tenant() const { return tenant_; }
    int tokens() const { return tokens_.load(); }
    int granted() const { return granted_.load(); }
    int issued() const { return issued_.load(); }

private:
    std::string tenant_;
    std::atomic<int> tokens_;
    std::atomic<int> granted_{0};
    std::atomic<int> issued_;
};

class Limiter {
public:
    void add_tenant(const std::string& name, int capacity) {
        buckets_.push_back(std::make_unique<TokenBucket>(name, capacity));
    }
    TokenBucket& bucket(size_t i) { return *buckets_[i]; }
    size_t tenants() const { return buckets_.size(); }

private:
    std::vector<std::unique_ptr<TokenBucket>> buckets_;
};

struct GatewayStats {
    int accepted = 0;
    int throttled = 0;
    uint32_t checksum = 0;
};

// Work of an accepted request.
static uint32_t handle(uint32_t tenant, uint32_t seq) {
    char body[160];
    int n = std::snprintf(body, sizeof body,
                          "{\"tenant\":%u,\"seq\":%u,\"items\":[%u,%u,%u],\"ok\":true}", tenant, seq,
                          seq * 3, seq * 5, seq * 7);
    uint32_t h = 2166136261u;
    for (int i = 0; i < n; ++i)
        h = (h ^ static_cast<unsigned char>(body[i])) * 16777619u;
    return h;
}

static void gateway(Limiter& limiter, uint32_t seed, int requests, GatewayStats& stats) {
    for (int i = 0; i < requests; ++i) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        size_t tenant = seed % limiter.tenants();
        TokenBucket& bucket = limiter.bucket(tenant);
        int cost = 1 + (seed >> 20) % 3;
        if (bucket.try_acquire(cost)) {
            stats.checksum ^= handle(static_cast<uint32_t>(tenant), i);
            ++stats.accepted;
        } else {
            ++stats.throttled;
        }
        // Every 64th request of a gateway pays for the tenant it just served.
        if (i % 64 == 63)
            bucket.refill(6);
    }
}

int main() {
    const int kGateways = 3;
    const int kRequests = 130;
    Limiter limiter;
    for (int i = 0; i < 32; ++i)
        limiter.add_tenant("tenant-" + std::to_string(i), 12);

    std::array<GatewayStats, kGateways> stats;
    std::vector<std::thread> threads;
    for (int g = 0; g < kGateways; ++g)
        threads.emplace_back(gateway, std::ref(limiter), 88172645u + 4099u * g, kRequests,
                             std::ref(stats[g]));
    for (auto& t : threads)
        t.join();

    int accepted = 0, throttled = 0;
    for (auto& s : stats) {
        accepted += s.accepted;
        throttled += s.throttled;
    }
    std::printf("%d accepted, %d throttled\n", accepted, throttled);

    for (size_t i = 0; i < limiter.tenants(); ++i) {
        TokenBucket& b = limiter.bucket(i);
        if (b.granted() + b.tokens() != b.issued()) {
            std::fprintf(stderr, "%s: issued %d, granted %d, left %d\n", b.tenant().c_str(),
                         b.issued(), b.granted(), b.tokens());
            std::abort();
        }
    }
    return 0;
}
