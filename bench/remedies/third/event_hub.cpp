// In-process event hub.  Sensors publish readings; gauges subscribe to them
// and can be paused by the control thread once they have raised an alarm.
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Reading {
    int sensor;
    int value;
};

class EventHub {
public:
    using Handler = std::function<void(const Reading&)>;

    int subscribe(int sensor, Handler h) {
        std::lock_guard<std::mutex> g(m_);
        const int id = ++last_id_;
        subscriptions_[id] =
            Subscription{sensor, std::make_shared<const Handler>(std::move(h))};
        return id;
    }

    void unsubscribe(int id) {
        std::lock_guard<std::mutex> g(m_);
        subscriptions_.erase(id);
    }

    // Hands the reading to the sensor's subscribers; returns their number.
    int publish(const Reading& r) {
#ifdef CORRECT
        std::vector<std::shared_ptr<const Handler>> handlers;
        {
            std::lock_guard<std::mutex> g(m_);
            for (const auto& [id, s] : subscriptions_)
                if (s.sensor == r.sensor)
                    handlers.push_back(s.handler);
        }
#else
        std::lock_guard<std::mutex> g(m_);
        std::vector<std::shared_ptr<const Handler>> handlers;
        for (const auto& [id, s] : subscriptions_)
            if (s.sensor == r.sensor)
                handlers.push_back(s.handler);
#endif
        for (const auto& h : handlers)
            (*h)(r);
        return static_cast<int>(handlers.size());
    }

    std::size_t subscriptions() const {
        std::lock_guard<std::mutex> g(m_);
        return subscriptions_.size();
    }

private:
    struct Subscription {
        int sensor = 0;
        std::shared_ptr<const Handler> handler;
    };

    mutable std::mutex m_;
    std::map<int, Subscription> subscriptions_;
    int last_id_ = 0;
};

class Gauge {
public:
    Gauge(std::string name, EventHub& hub, int sensor, int alarm_at)
        : name_(std::move(name)), hub_(hub), sensor_(sensor), alarm_at_(alarm_at) {}

    void resume() {
        std::lock_guard<std::mutex> g(m_);
        if (subscription_ == 0)
            subscription_ = hub_.subscribe(sensor_, [this](const Reading& r) { take(r); });
    }

    // Ends the subscription if the gauge has raised an alarm.
    bool pause_on_alarm() {
        std::lock_guard<std::mutex> g(m_);
        if (!alarm_ || subscription_ == 0)
            return false;
        hub_.unsubscribe(subscription_);
        subscription_ = 0;
        return true;
    }

    int readings() const {
        std::lock_guard<std::mutex> g(m_);
        return readings_;
    }
    bool alarm() const {
        std::lock_guard<std::mutex> g(m_);
        return alarm_;
    }
    const std::string& name() const { return name_; }

private:
    void take(const Reading& r) {
        std::lock_guard<std::mutex> g(m_);
        ++readings_;
        peak_ = r.value > peak_ ? r.value : peak_;
        if (r.value >= alarm_at_)
            alarm_ = true;
    }

    const std::string name_;
    EventHub& hub_;
    const int sensor_;
    const int alarm_at_;
    mutable std::mutex m_;
    int subscription_ = 0;
    int readings_ = 0;
    int peak_ = 0;
    bool alarm_ = false;
};

static int sense(EventHub& hub, int sensor, int count) {
    int delivered = 0;
    for (int i = 0; i < count; ++i)
        delivered += hub.publish(Reading{sensor, (i * 37 + sensor * 11) % 100 + i / 2});
    return delivered;
}

int main() {
    constexpr int kSensors = 2;
    constexpr int kReadings = 120;
    constexpr int kChecks = 60;

    EventHub hub;
    std::vector<std::unique_ptr<Gauge>> gauges;
    for (int s = 0; s < kSensors; ++s) {
        gauges.push_back(std::make_unique<Gauge>("low-" + std::to_string(s), hub, s, 90));
        gauges.push_back(std::make_unique<Gauge>("high-" + std::to_string(s), hub, s, 130));
    }
    for (auto& g : gauges)
        g->resume();

    std::vector<int> delivered(kSensors, 0);
    int paused = 0;
    std::vector<std::thread> threads;
    for (int s = 0; s < kSensors; ++s)
        threads.emplace_back([&, s] {
            delivered[static_cast<std::size_t>(s)] = sense(hub, s, kReadings);
        });
    threads.emplace_back([&] {
        for (int i = 0; i < kChecks; ++i)
            for (auto& g : gauges)
                if (g->pause_on_alarm())
                    ++paused;
    });
    for (auto& t : threads)
        t.join();

    int readings = 0;
    for (auto& g : gauges)
        readings += g->readings();
    int published = 0;
    for (int d : delivered)
        published += d;
    assert(readings == published);
    assert(hub.subscriptions() + static_cast<std::size_t>(paused) == gauges.size());
    std::printf("%d readings delivered, %d gauges paused\n", readings, paused);
    return 0;
}
