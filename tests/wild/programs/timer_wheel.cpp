// timer_wheel.cpp - request timeouts with a hashed timer wheel.
//
// Clients arm a timeout for every request and cancel it when the answer is
// there. The wheel is advanced by its own thread.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <unistd.h>

class TimerWheel {
public:
    using Callback = std::function<void()>;
    static constexpr unsigned kSlots = 32;

    TimerWheel() : slots_(kSlots), thread_(&TimerWheel::run, this) {}

    ~TimerWheel() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            stopping_ = true;
        }
        thread_.join();
    }

    // Calls `cb` on the wheel's thread after `ticks` ticks.
    uint64_t arm(unsigned ticks, Callback cb) {
        std::lock_guard<std::mutex> lock(mutex_);
        uint64_t id = ++last_id_;
        unsigned slot = (now_ + ticks) % kSlots;
        slots_[slot].push_back(Timer{id, now_ + ticks, std::move(cb)});
        where_[id] = {slot, std::prev(slots_[slot].end())};
        return id;
    }

    // True if the timer was removed before it fired.
    bool cancel(uint64_t id) {
        std::lock_guard<std::mutex> lock(mutex_);
        auto it = where_.find(id);
        if (it == where_.end())
            return false;
        slots_[it->second.slot].erase(it->second.position);
        where_.erase(it);
        return true;
    }

    int fired() {
        std::lock_guard<std::mutex> lock(mutex_);
        return fired_;
    }

private:
    struct Timer {
        uint64_t id;
        unsigned due;
        Callback callback;
    };
    struct Place {
        unsigned slot;
        std::list<Timer>::iterator position;
    };

    void run() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!stopping_) {
            tick(lock);
            lock.unlock();
            usleep(20);
            lock.lock();
        }
    }

    // Callbacks may arm new timers, so they run without the lock.
    void tick(std::unique_lock<std::mutex>& lock) {
        std::list<Timer>& slot = slots_[++now_ % kSlots];
        for (;;) {
            auto it = slot.begin();
            while (it != slot.end() && it->due != now_)
                ++it;
            if (it == slot.end())
                return;
            Timer t = std::move(*it);
            slot.erase(it);
            where_.erase(t.id);
            ++fired_;
            lock.unlock();
            t.callback();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::vector<std::list<Timer>> slots_;
    std::unordered_map<uint64_t, Place> where_;
    unsigned now_ = 0;
    uint64_t last_id_ = 0;
    int fired_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

// Where requests that took too long are written down.
class SlowLog {
public:
    void add(const std::string& what) {
        std::lock_guard<std::mutex> lock(mutex_);
        entries_.push_back(what);
    }
    size_t size() {
        std::lock_guard<std::mutex> lock(mutex_);
        return entries_.size();
    }

private:
    std::mutex mutex_;
    std::vector<std::string> entries_;
};

class Request {
public:
    Request(SlowLog& log, int client, int number) : log_(&log), client_(client), number_(number) {}

    void timed_out() {
        std::string line = "client " + std::to_string(client_) + " request " + std::to_string(number_);
        log_->add(line);
    }

    uint32_t process(unsigned rounds) {
        uint32_t h = static_cast<uint32_t>(number_ * 2654435761u);
        for (unsigned i = 0; i < rounds; ++i)
            h = (h ^ i) * 16777619u;
        return h;
    }

private:
    SlowLog* log_;
    int client_;
    int number_;
};

static void client(TimerWheel& wheel, SlowLog& log, int id, int requests, uint32_t& checksum) {
    for (int i = 0; i < requests; ++i) {
        auto request = std::make_unique<Request>(log, id, i);
        Request* r = request.get();
        uint64_t timer = wheel.arm(2, [r] { r->timed_out(); });
        // every tenth request is an expensive one
        checksum ^= request->process(i % 10 == 9 ? 150000 : 3000);
        wheel.cancel(timer);
    }
}

int main() {
    const int kClients = 2;
    const int kRequests = 40;
    TimerWheel wheel;
    SlowLog log;
    uint32_t sums[kClients] = {};
    std::vector<std::thread> clients;
    for (int c = 0; c < kClients; ++c)
        clients.emplace_back(client, std::ref(wheel), std::ref(log), c, kRequests, std::ref(sums[c]));
    for (auto& t : clients)
        t.join();
    std::printf("%zu slow requests of %d (%08x)\n", log.size(), kClients * kRequests, sums[0] ^ sums[1]);
    return 0;
}
