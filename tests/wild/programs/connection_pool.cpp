// connection_pool.cpp - database connection pool with a keep-alive thread.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

// Stand-in for a driver connection.
class Connection {
public:
    explicit Connection(int id) : id_(id) {}

    int query(const std::string& sql) {
        unsigned h = static_cast<unsigned>(id_);
        for (int r = 0; r < 8; ++r)
            for (char c : sql)
                h = h * 131 + static_cast<unsigned char>(c);
        idle_rounds_ = 0;
        ++queries_;
        return static_cast<int>(h % 1000);
    }

    // Cheap round trip so the server does not drop us.
    void ping() {
        query("SELECT 1");
        --queries_;
        ++pings_;
    }

    void age() { ++idle_rounds_; }
    bool stale() const { return idle_rounds_ >= 2; }
    int queries() const { return queries_; }
    int pings() const { return pings_; }

private:
    int id_;
    int idle_rounds_ = 0;
    int queries_ = 0;
    int pings_ = 0;
};

class ConnectionPool {
public:
    explicit ConnectionPool(int size) {
        for (int i = 0; i < size; ++i)
            idle_.push_back(std::make_unique<Connection>(i));
        keeper_ = std::thread(&ConnectionPool::keep_alive, this);
    }

    ~ConnectionPool() { shutdown(); }

    std::unique_ptr<Connection> acquire() {
        std::unique_lock<std::mutex> lock(mutex_);
        available_.wait(lock, [this] { return !idle_.empty() || stop_; });
        if (stop_)
            return nullptr;
        auto c = std::move(idle_.back());
        idle_.pop_back();
        return c;
    }

    void release(std::unique_ptr<Connection> c) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            idle_.push_back(std::move(c));
        }
        available_.notify_one();
    }

    // No connection is handed out after this; idle ones are closed.
    void shutdown() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!keeper_.joinable())
            return;
        {
            std::lock_guard<std::mutex> wake(wake_mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        available_.notify_all();
        keeper_.join();
        for (auto& c : idle_) {
            queries_ += c->queries();
            pings_ += c->pings();
        }
        idle_.clear();
    }

    int queries() const { return queries_; }
    int pings() const { return pings_; }

private:
    void keep_alive() {
        while (!stop_) {
            check_idle();
            std::unique_lock<std::mutex> wake(wake_mutex_);
            wake_.wait_for(wake, std::chrono::microseconds(100), [this] { return stop_.load(); });
        }
    }

    void check_idle() {
        std::lock_guard<std::mutex> lock(mutex_);
        for (auto& c : idle_) {
            c->age();
            if (c->stale())
                c->ping();
        }
    }

    std::mutex mutex_;
    std::condition_variable available_;
    std::vector<std::unique_ptr<Connection>> idle_;

    std::mutex wake_mutex_;
    std::condition_variable wake_;
    std::atomic<bool> stop_{false};
    std::thread keeper_;

    int queries_ = 0;
    int pings_ = 0;
};

static void web_request(ConnectionPool& pool, int who, int n, int& done) {
    for (int i = 0; i < n; ++i) {
        auto c = pool.acquire();
        if (!c)
            return;
        c->query("SELECT name, mail FROM users WHERE id = " + std::to_string(who * 1000 + i));
        c->query("UPDATE users SET seen = now() WHERE id = " + std::to_string(who * 1000 + i));
        pool.release(std::move(c));
        ++done;
    }
}

int main() {
    const int kRequests = 100;
    ConnectionPool pool(12);
    int done[2] = {};
    std::thread a(web_request, std::ref(pool), 1, kRequests, std::ref(done[0]));
    std::thread b(web_request, std::ref(pool), 2, kRequests, std::ref(done[1]));
    a.join();
    b.join();
    pool.shutdown();

    std::printf("%d + %d requests, %d queries, %d pings\n", done[0], done[1], pool.queries(), pool.pings());
    if (pool.queries() != 2 * (done[0] + done[1]))
        std::abort();
    return 0;
}
