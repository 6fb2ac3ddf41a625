// session_table.cpp - reference counted login sessions.
//
// The table owns one reference to every session in it; request handlers own
// one while they work. The last one to let go deletes the session.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::atomic<int> g_live_sessions{0};

class Session {
public:
    explicit Session(int id) : user_("user-with-a-long-name-" + std::to_string(id)), id_(id) {
        ++g_live_sessions;
    }

    void ref() { ++refs_; }
    void unref() {
        if (--refs_ == 0)
            delete this;
    }

    const std::string& user() const { return user_; }
    int id() const { return id_; }

    void touch() { requests_.fetch_add(1, std::memory_order_relaxed); }
    int requests() const { return requests_.load(); }

private:
    ~Session() { --g_live_sessions; }

    std::string user_;
    int id_;
    std::atomic<int> refs_{1};
    std::atomic<int> requests_{0};
};

// Owning pointer to a session.
class SessionRef {
public:
    SessionRef() = default;
    explicit SessionRef(Session* s) : s_(s) {}
    SessionRef(SessionRef&& o) noexcept : s_(o.s_) { o.s_ = nullptr; }
    SessionRef& operator=(SessionRef&& o) noexcept {
        std::swap(s_, o.s_);
        return *this;
    }
    ~SessionRef() {
        if (s_)
            s_->unref();
    }
    Session* operator->() const { return s_; }
    explicit operator bool() const { return s_ != nullptr; }

private:
    Session* s_ = nullptr;
};

class SessionTable {
public:
    ~SessionTable() {
        for (auto& kv : sessions_)
            kv.second->unref();
    }

    void login(int id) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto& slot = sessions_[id];
        if (slot)
            slot->unref();
        slot = new Session(id);
    }

    SessionRef find(int id) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = sessions_.find(id);
        if (it == sessions_.end())
            return SessionRef();
        it->second->ref();
        return SessionRef(it->second);
    }

    void logout(int id) {
        Session* gone = nullptr;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            auto it = sessions_.find(id);
            if (it == sessions_.end())
                return;
            gone = it->second;
            sessions_.erase(it);
        }
        gone->unref();
    }

    size_t size() {
        std::lock_guard<std::mutex> lock(mutex_);
        return sessions_.size();
    }

private:
    std::mutex mutex_;
    std::unordered_map<int, Session*> sessions_;
};

// Renders the greeting page, returns its length.
static size_t greeting(const Session& s, uint32_t nonce) {
    std::string page = "<html><body><h1>Hello " + s.user() + "</h1>";
    for (int i = 0; i < 4; ++i)
        page += "<p>item " + std::to_string((nonce >> i) % 1000) + "</p>";
    return page.size() + 14;
}

static void handler(SessionTable& table, int who, int requests, int users, size_t& bytes) {
    uint32_t x = 521288629u + 362437u * who;
    for (int i = 0; i < requests; ++i) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        int id = static_cast<int>(x % users);
        SessionRef s = table.find(id);
        if (!s) {
            table.login(id);
            continue;
        }
        s->touch();
        bytes += greeting(*s.operator->(), x);
        if (s->id() != id)
            std::abort();
        if (x % 29 == 0)
            table.logout(id);
    }
}

int main() {
    const int kHandlers = 3;
    const int kRequests = 160;
    const int kUsers = 16;
    size_t bytes[kHandlers] = {};
    {
        SessionTable table;
        for (int u = 0; u < kUsers; ++u)
            table.login(u);
        std::vector<std::thread> threads;
        for (int h = 0; h < kHandlers; ++h)
            threads.emplace_back(handler, std::ref(table), h, kRequests, kUsers, std::ref(bytes[h]));
        for (auto& t : threads)
            t.join();
        std::printf("%zu sessions, %zu bytes served\n", table.size(), bytes[0] + bytes[1] + bytes[2]);
    }
    if (g_live_sessions != 0) {
        std::fprintf(stderr, "%d sessions leaked\n", g_live_sessions.load());
        std::abort();
    }
    return 0;
}
