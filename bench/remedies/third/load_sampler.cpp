// Load sampler: a background thread reads a gauge, smooths it with a running
// median and tells its subscriber about the windows with a high load.
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Summary {
    int window = 0;
    int samples = 0;
    int low = 0;
    int high = 0;
};

// The number of requests a service has in hand.
class Gauge {
public:
    void begin() { value_.fetch_add(1, std::memory_order_relaxed); }
    void end() { value_.fetch_sub(1, std::memory_order_relaxed); }
    int read() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<int> value_{0};
};

// Running median over the latest samples.
class MedianFilter {
public:
    int push(int v) {
        ring_[next_ % kSize] = v;
        ++next_;
        std::array<int, kSize> sorted = ring_;
        std::sort(sorted.begin(), sorted.end());
        return sorted[kSize / 2];
    }

private:
    static constexpr std::size_t kSize = 9;
    std::array<int, kSize> ring_{};
    std::size_t next_ = 0;
};

class LoadSampler {
public:
    using Subscriber = std::function<void(const Summary&)>;
    static constexpr int kWindow = 60;

    LoadSampler(std::string name, const Gauge& gauge, int windows, int high_load,
                Subscriber sub)
        : name_(std::move(name)), gauge_(gauge), windows_(windows),
          high_load_(high_load) {
#ifdef CORRECT
        subscriber_ = std::move(sub);
        thread_ = std::thread([this] { run(); });
#else
        thread_ = std::thread([this] { run(); });
        subscriber_ = std::move(sub);
#endif
    }
    LoadSampler(const LoadSampler&) = delete;
    LoadSampler& operator=(const LoadSampler&) = delete;
    ~LoadSampler() { finish(); }

    // Waits for the last window.
    void finish() {
        if (thread_.joinable())
            thread_.join();
    }

    const std::string& name() const { return name_; }
    int sampled() const { return sampled_; }
    int high_windows() const { return high_windows_; }

private:
    void run() {
        for (int w = 0; w < windows_; ++w) {
            Summary s = take_window(w);
            if (s.high < high_load_)
                continue;
            ++high_windows_;
            if (subscriber_)
                subscriber_(s);
        }
    }

    Summary take_window(int index) {
        Summary s;
        s.window = index;
        s.low = 1 << 30;
        for (int i = 0; i < kWindow; ++i) {
            const int v = filter_.push(gauge_.read() * 4 + i % 4);
            s.low = std::min(s.low, v);
            s.high = std::max(s.high, v);
            ++s.samples;
            ++sampled_;
        }
        return s;
    }

    const std::string name_;
    const Gauge& gauge_;
    const int windows_;
    const int high_load_;
    Subscriber subscriber_;
    MedianFilter filter_;
    int sampled_ = 0;
    int high_windows_ = 0;
    std::thread thread_;
};

// Keeps the summaries of one sampler.
class History {
public:
    void add(const Summary& s) {
        assert(s.samples > 0 && s.low <= s.high);
        if (!rows_.empty())
            assert(rows_.back().window < s.window);
        rows_.push_back(s);
    }
    const std::vector<Summary>& rows() const { return rows_; }

private:
    std::vector<Summary> rows_;
};

static void serve(Gauge& gauge, int requests, std::uint32_t seed) {
    std::uint32_t x = seed;
    for (int i = 0; i < requests; ++i) {
        gauge.begin();
        for (int k = 0; k < 500; ++k)
            x = x * 1664525u + 1013904223u;
        if (x == 0)
            std::puts("zero");
        gauge.end();
    }
}

int main() {
    constexpr int kWindows = 4;
    constexpr int kHighLoad = 4;
    constexpr int kRequests = 300;
    Gauge gauge;
    History busy;

    std::vector<std::thread> servers;
    for (std::uint32_t s = 0; s < 2; ++s)
        servers.emplace_back([&gauge, s] { serve(gauge, kRequests, 5u + s); });

    LoadSampler sampler("requests", gauge, kWindows, kHighLoad,
                        [&busy](const Summary& s) { busy.add(s); });

    for (auto& t : servers)
        t.join();
    sampler.finish();

    assert(gauge.read() == 0);
    assert(sampler.sampled() == kWindows * LoadSampler::kWindow);
    assert(busy.rows().size() == static_cast<std::size_t>(sampler.high_windows()));
    for (const Summary& s : busy.rows()) {
        assert(s.samples == LoadSampler::kWindow);
        assert(s.high >= kHighLoad);
    }
    std::printf("%s: %d samples, %zu of %d windows with high load\n",
                sampler.name().c_str(), sampler.sampled(), busy.rows().size(), kWindows);
    return 0;
}
