// lru_thumbs.cpp - thumbnail server with a bounded LRU cache.

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Thumbnail {
    int id;
    std::vector<uint8_t> data;
};
using ThumbPtr = std::shared_ptr<const Thumbnail>;

class LruCache {
public:
    explicit LruCache(size_t capacity) : capacity_(capacity) {}

    // nullptr when not cached
    ThumbPtr find(int id) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = index_.find(id);
        if (it == index_.end()) {
            ++misses_;
            return nullptr;
        }
        order_.splice(order_.begin(), order_, it->second);
        ++hits_;
        return it->second->thumb;
    }

    void insert(int id, ThumbPtr thumb) {
        std::lock_guard<std::mutex> lock(mutex_);
        order_.push_front(Node{id, std::move(thumb)});
        index_[id] = order_.begin();
        while (order_.size() > capacity_) {
            index_.erase(order_.back().id);
            order_.pop_back();
        }
        check();
    }

    size_t hits() const { return hits_; }
    size_t misses() const { return misses_; }

private:
    struct Node {
        int id;
        ThumbPtr thumb;
    };

    void check() const { assert(index_.size() == order_.size()); }

    const size_t capacity_;
    std::mutex mutex_;
    std::list<Node> order_;  // most recent first
    std::unordered_map<int, std::list<Node>::iterator> index_;
    size_t hits_ = 0;
    size_t misses_ = 0;
};

// Box-filters a generated 64x64 picture down to 8x8.
static ThumbPtr make_thumbnail(int id) {
    auto t = std::make_shared<Thumbnail>();
    t->id = id;
    t->data.resize(64);
    uint32_t seed = 12345u + 977u * id;
    std::vector<uint8_t> src(64 * 64);
    for (auto& p : src) {
        seed = seed * 1664525u + 1013904223u;
        p = static_cast<uint8_t>(seed >> 24);
    }
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) {
            int sum = 0;
            for (int dy = 0; dy < 8; ++dy)
                for (int dx = 0; dx < 8; ++dx)
                    sum += src[(y * 8 + dy) * 64 + x * 8 + dx];
            t->data[y * 8 + x] = static_cast<uint8_t>(sum / 64);
        }
    return t;
}

class ThumbServer {
public:
    explicit ThumbServer(size_t cache_size) : cache_(cache_size) {}

    ThumbPtr get(int id) {
        if (ThumbPtr t = cache_.find(id))
            return t;
        ThumbPtr t = make_thumbnail(id);
        cache_.insert(id, t);
        return t;
    }

    const LruCache& cache() const { return cache_; }

private:
    LruCache cache_;
};

// A client scrolls through its album, now and then looking at a shared one.
static void client(ThumbServer& server, int who, int requests, unsigned long& checksum) {
    uint32_t seed = 2463534242u + 7919u * who;
    for (int i = 0; i < requests; ++i) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        int id;
        if (seed % 8 == 0)
            id = 9000 + (seed >> 8) % 40;           // shared album
        else
            id = who * 100 + (i / 3) % 20;          // own album
        ThumbPtr t = server.get(id);
        if (t->id != id)
            std::abort();
        for (uint8_t b : t->data)
            checksum += b;
    }
}

int main() {
    const int kClients = 3;
    const int kRequests = 60;
    ThumbServer server(48);
    std::vector<unsigned long> sums(kClients, 0);
    std::vector<std::thread> clients;
    for (int i = 0; i < kClients; ++i)
        clients.emplace_back(client, std::ref(server), i, kRequests, std::ref(sums[i]));
    for (auto& c : clients)
        c.join();
    std::printf("hits %zu misses %zu\n", server.cache().hits(), server.cache().misses());
    return 0;
}
