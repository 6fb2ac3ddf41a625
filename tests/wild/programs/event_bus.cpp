// event_bus.cpp - quotes are published on a bus, client sessions subscribe to
// symbols, a session manager opens and closes sessions.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Quote {
    int symbol;
    int price;
    int sequence;
};

class EventBus {
public:
    using Handler = std::function<void(const Quote&)>;

    int subscribe(int symbol, Handler handler) {
        std::lock_guard<std::mutex> lock(mutex_);
        int token = next_token_++;
        subscribers_.emplace(symbol, Entry{token, std::move(handler)});
        return token;
    }

    // After this returns the handler is not called any more.
    void unsubscribe(int token) {
        std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = subscribers_.begin(); it != subscribers_.end(); ++it)
            if (it->second.token == token) {
                subscribers_.erase(it);
                return;
            }
    }

    void publish(const Quote& q) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto range = subscribers_.equal_range(q.symbol);
        for (auto it = range.first; it != range.second; ++it)
            it->second.handler(q);
        ++published_;
    }

    size_t subscriber_count() {
        std::lock_guard<std::mutex> lock(mutex_);
        return subscribers_.size();
    }

private:
    struct Entry {
        int token;
        Handler handler;
    };
    std::mutex mutex_;
    std::multimap<int, Entry> subscribers_;
    int next_token_ = 1;
    long published_ = 0;
};

// What a client has on its screen.
class Session {
public:
    Session(EventBus& bus, int id) : bus_(bus), id_(id) {}
    ~Session() { close(); }

    void open(const std::vector<int>& symbols) {
        std::vector<int> tokens;
        for (int s : symbols)
            tokens.push_back(bus_.subscribe(s, [this](const Quote& q) { on_quote(q); }));
        std::lock_guard<std::mutex> lock(mutex_);
        tokens_ = std::move(tokens);
        open_ = true;
    }

    void close() {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!open_)
            return;
        open_ = false;
        for (int token : tokens_)
            bus_.unsubscribe(token);
        tokens_.clear();
    }

    // Text for the client: last price per symbol.
    std::string snapshot() {
        std::lock_guard<std::mutex> lock(mutex_);
        std::string out = "session " + std::to_string(id_) + ":";
        for (const auto& kv : last_)
            out += " " + std::to_string(kv.first) + "=" + std::to_string(kv.second);
        return out;
    }

    int received() {
        std::lock_guard<std::mutex> lock(mutex_);
        return received_;
    }

private:
    void on_quote(const Quote& q) {
        std::lock_guard<std::mutex> lock(mutex_);
        last_[q.symbol] = q.price;
        ++received_;
    }

    EventBus& bus_;
    const int id_;
    std::mutex mutex_;
    std::vector<int> tokens_;
    std::map<int, int> last_;
    int received_ = 0;
    bool open_ = false;
};

constexpr int kSymbols = 60;

static void feed(EventBus& bus, int quotes) {
    uint32_t x = 19937;
    std::vector<int> price(kSymbols, 1000);
    for (int i = 0; i < quotes; ++i) {
        x = x * 1664525u + 1013904223u;
        int s = static_cast<int>((x >> 16) % kSymbols);
        price[s] += static_cast<int>((x >> 8) % 11) - 5;
        char wire[64];  // what the exchange sends
        std::snprintf(wire, sizeof wire, "Q|%d|%d|%d", s, price[s], i);
        Quote q;
        if (std::sscanf(wire, "Q|%d|%d|%d", &q.symbol, &q.price, &q.sequence) == 3)
            bus.publish(q);
    }
}

static void session_manager(EventBus& bus, int rounds, int& total) {
    for (int r = 0; r < rounds; ++r) {
        auto session = std::make_unique<Session>(bus, r);
        session->open({r % kSymbols, (r + 5) % kSymbols});
        size_t text = 0;
        for (int i = 0; i < 12; ++i)
            text += session->snapshot().size();
        if (text == 0)
            std::abort();
        session->close();
        total += session->received();
    }
}

int main() {
    EventBus bus;
    Session desk(bus, 9000);
    desk.open({0, 1, 2, 3});

    int total = 0;
    std::thread feeder(feed, std::ref(bus), 300);
    std::thread manager(session_manager, std::ref(bus), 4, std::ref(total));
    feeder.join();
    manager.join();

    desk.close();
    std::printf("desk got %d quotes, short sessions %d\n", desk.received(), total);
    if (bus.subscriber_count() != 0)
        std::abort();
    return 0;
}
