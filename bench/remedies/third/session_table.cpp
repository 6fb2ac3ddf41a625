// Session table of a small server.  Request threads look sessions up and
// account traffic to them; the housekeeper closes idle sessions and opens
// new ones in their place.
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

struct Totals {
    std::atomic<std::uint64_t> requests{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<int> opened{0};
    std::atomic<int> closed{0};
};

class Session {
public:
    Session(int id, Totals& totals)
        : peer_("10.0.0." + std::to_string(id % 250)), totals_(totals), id_(id),
          state_(kOpen) {
        totals_.opened.fetch_add(1);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    ~Session() {
        totals_.requests.fetch_add(requests_);
        totals_.bytes.fetch_add(bytes_);
        totals_.closed.fetch_add(1);
        state_.store(kClosed);
    }

    void account(int id, std::size_t bytes) {
        check(id);
        std::lock_guard<std::mutex> g(m_);
        ++requests_;
        bytes_ += bytes;
        if (requests_ % 4 == 0)
            peak_ = bytes_ > peak_ ? bytes_ : peak_;
        check(id);
    }

    std::uint64_t requests() {
        std::lock_guard<std::mutex> g(m_);
        return requests_;
    }

private:
    static constexpr std::uint32_t kOpen = 0x6f70656e;
    static constexpr std::uint32_t kClosed = 0x676f6e65;

    void check(int id) const {
        assert(state_.load() == kOpen);
        assert(id_ == id);
        (void)id;
    }

    const std::string peer_;
    Totals& totals_;
    const int id_;
    std::atomic<std::uint32_t> state_;
    std::mutex m_;
    std::uint64_t requests_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t peak_ = 0;
};

class SessionTable {
public:
    explicit SessionTable(Totals& totals) : totals_(totals) {}

    void open(int id) {
        auto s = std::make_shared<Session>(id, totals_);
        std::lock_guard<std::mutex> g(m_);
        sessions_[id] = std::move(s);
        newest_ = id;
    }

    int newest() const {
        std::lock_guard<std::mutex> g(m_);
        return newest_;
    }

#ifdef CORRECT
    std::shared_ptr<Session> find(int id) const {
        std::lock_guard<std::mutex> g(m_);
        auto it = sessions_.find(id);
        return it == sessions_.end() ? nullptr : it->second;
    }
#else
    Session* find(int id) const {
        std::lock_guard<std::mutex> g(m_);
        auto it = sessions_.find(id);
        return it == sessions_.end() ? nullptr : it->second.get();
    }
#endif

    // Closes the session unless it has been used since the last look.
    bool close_idle(int id, std::uint64_t& last_seen) {
        std::shared_ptr<Session> s;
        {
            std::lock_guard<std::mutex> g(m_);
            auto it = sessions_.find(id);
            if (it == sessions_.end())
                return false;
            s = it->second;
            const std::uint64_t now = s->requests();
            if (now != last_seen) {
                last_seen = now;
                return false;
            }
            sessions_.erase(it);
        }
        return true;
    }

    void clear() {
        std::lock_guard<std::mutex> g(m_);
        sessions_.clear();
    }

private:
    Totals& totals_;
    mutable std::mutex m_;
    std::unordered_map<int, std::shared_ptr<Session>> sessions_;
    int newest_ = 0;
};

struct Requests {
    std::uint32_t seed;
    std::uint64_t served = 0;
    std::uint64_t bytes = 0;
    std::uint64_t rejected = 0;
};

// Most requests are for recent sessions.
static void serve(SessionTable& table, Requests& r, int count) {
    std::uint32_t x = r.seed;
    for (int i = 0; i < count; ++i) {
        x = x * 1664525u + 1013904223u;
        const int back = static_cast<int>(std::min((x >> 16) % 7u, (x >> 24) % 7u));
        const int id = table.newest() - back;
        auto s = table.find(id);
        if (!s) {
            ++r.rejected;
            continue;
        }
        const std::size_t bytes = 40 + (x >> 8) % 1000u;
        s->account(id, bytes);
        ++r.served;
        r.bytes += bytes;
    }
}

int main() {
    constexpr int kServers = 2;
    constexpr int kRequests = 250;
    constexpr int kFirst = 100;
    constexpr int kOpenAtOnce = 6;
    constexpr int kSessions = 40;

    Totals totals;
    SessionTable table(totals);
    for (int id = kFirst; id < kFirst + kOpenAtOnce; ++id)
        table.open(id);

    std::array<Requests, kServers> requests{Requests{21}, Requests{22}};
    std::latch start(kServers + 1);
    std::vector<std::thread> threads;
    for (Requests& r : requests)
        threads.emplace_back([&] {
            start.arrive_and_wait();
            serve(table, r, kRequests);
        });
    threads.emplace_back([&] {
        start.arrive_and_wait();
        int oldest = kFirst;
        int newest = kFirst + kOpenAtOnce - 1;
        std::uint64_t last_seen = 0;
        for (int look = 0; look < 400 && newest < kFirst + kSessions; ++look) {
            if (!table.close_idle(oldest, last_seen))
                continue;
            ++oldest;
            last_seen = 0;
            table.open(++newest);
        }
    });
    for (auto& t : threads)
        t.join();
    table.clear();

    std::uint64_t served = 0;
    std::uint64_t bytes = 0;
    for (const Requests& r : requests) {
        assert(r.served + r.rejected == kRequests);
        served += r.served;
        bytes += r.bytes;
    }
    assert(totals.opened.load() == totals.closed.load());
    assert(totals.requests.load() == served);
    assert(totals.bytes.load() == bytes);
    std::printf("%llu requests served, %d sessions\n",
                static_cast<unsigned long long>(served), totals.opened.load());
    return 0;
}
