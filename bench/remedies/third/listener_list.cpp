// Configuration store with change listeners.  Listeners may be added and
// removed at any time, also while a change is being announced.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <latch>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Change {
    std::string key;
    int value;
    int serial;
};

class ConfigStore {
public:
    using Listener = std::function<void(const Change&)>;
    using Token = int;

    Token listen(Listener l) {
        std::lock_guard<std::mutex> g(m_);
        const Token t = ++last_token_;
        listeners_.push_back(Entry{t, std::make_shared<const Listener>(std::move(l))});
        return t;
    }

    bool unlisten(Token t) {
        std::lock_guard<std::mutex> g(m_);
        for (auto it = listeners_.begin(); it != listeners_.end(); ++it) {
            if (it->token == t) {
                listeners_.erase(it);
                return true;
            }
        }
        return false;
    }

    // Stores the value and tells the listeners, without holding the lock.
    int set(const std::string& key, int value) {
        std::unique_lock<std::mutex> l(m_);
        values_[key] = value;
        const Change change{key, value, ++serial_};
        int told = 0;
#ifdef CORRECT
        const std::list<Entry> current = listeners_;
        l.unlock();
        for (const Entry& e : current) {
            (*e.listener)(change);
            ++told;
        }
#else
        for (auto it = listeners_.begin(); it != listeners_.end(); ++it) {
            std::shared_ptr<const Listener> listener = it->listener;
            l.unlock();
            (*listener)(change);
            ++told;
            l.lock();
        }
#endif
        return told;
    }

    int get(const std::string& key) const {
        std::lock_guard<std::mutex> g(m_);
        auto it = values_.find(key);
        return it == values_.end() ? 0 : it->second;
    }

    std::size_t listeners() const {
        std::lock_guard<std::mutex> g(m_);
        return listeners_.size();
    }

private:
    struct Entry {
        Token token;
        std::shared_ptr<const Listener> listener;
    };

    mutable std::mutex m_;
    std::map<std::string, int> values_;
    std::list<Entry> listeners_;
    Token last_token_ = 0;
    int serial_ = 0;
};

// Follows one key of the store.
class Follower {
public:
    Follower(ConfigStore& store, std::string key)
        : store_(store), key_(std::move(key)), seen_(std::make_shared<Seen>()) {
        token_ = store_.listen([seen = seen_, key = key_](const Change& c) {
            seen->calls.fetch_add(1);
            if (c.key == key)
                seen->value.store(c.value);
        });
    }
    ~Follower() {
        if (!store_.unlisten(token_))
            std::abort();
    }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    int calls() const { return seen_->calls.load(); }
    int value() const { return seen_->value.load(); }

private:
    struct Seen {
        std::atomic<int> calls{0};
        std::atomic<int> value{0};
    };

    ConfigStore& store_;
    const std::string key_;
    std::shared_ptr<Seen> seen_;
    ConfigStore::Token token_ = 0;
};

int main() {
    constexpr int kChanges = 60;
    constexpr int kVisitors = 80;

    ConfigStore store;
    Follower width(store, "width");
    Follower height(store, "height");
    std::latch start(2);

    int told = 0;
    std::thread editor([&] {
        start.arrive_and_wait();
        for (int i = 1; i <= kChanges; ++i) {
            told += store.set("width", i);
            told += store.set("height", i * 2);
        }
    });
    int heard = 0;
    std::thread visitors([&] {
        start.arrive_and_wait();
        std::unique_ptr<Follower> previous;
        for (int i = 0; i < kVisitors; ++i) {
            auto next = std::make_unique<Follower>(store, i % 2 ? "width" : "depth");
            if (previous)
                heard += previous->calls();
            previous = std::move(next);
        }
    });
    editor.join();
    visitors.join();

    assert(store.get("width") == kChanges);
    assert(store.get("height") == kChanges * 2);
    assert(width.value() == kChanges && height.value() == kChanges * 2);
    assert(width.calls() == 2 * kChanges);
    assert(height.calls() == 2 * kChanges);
    assert(told >= width.calls() + height.calls());
    assert(store.listeners() == 2);
    std::printf("%d calls, %d heard by visitors\n", told, heard);
    return 0;
}
