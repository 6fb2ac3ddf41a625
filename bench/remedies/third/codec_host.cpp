// Plugin host for byte codecs.  Requests look a codec up by name; the
// maintenance thread installs newer versions while requests are running.
#include <array>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

class Codec {
public:
    explicit Codec(int version) : version_(version) {}

    // Builds the substitution tables of this version.
    void load_tables() {
        const unsigned step = 2u * static_cast<unsigned>(version_) + 1u;
        forward_.resize(256);
        backward_.resize(256);
        for (unsigned i = 0; i < 256; ++i) {
            unsigned c = (i * step + static_cast<unsigned>(version_)) & 0xffu;
            forward_[i] = static_cast<std::uint8_t>(c);
            backward_[c] = static_cast<std::uint8_t>(i);
        }
        loaded_ = true;
    }

    std::string encode(const std::string& in) const { return map(in, forward_); }
    std::string decode(const std::string& in) const { return map(in, backward_); }
    int version() const { return version_; }

private:
    std::string map(const std::string& in,
                    const std::vector<std::uint8_t>& table) const {
        assert(loaded_);
        std::string out;
        out.reserve(in.size());
        for (char ch : in)
            out.push_back(static_cast<char>(table[static_cast<unsigned char>(ch)]));
        return out;
    }

    const int version_;
    bool loaded_ = false;
    std::vector<std::uint8_t> forward_;
    std::vector<std::uint8_t> backward_;
};

class PluginHost {
public:
    void install(const std::string& name, int version) {
        auto codec = std::make_shared<Codec>(version);
#ifdef CORRECT
        codec->load_tables();
        publish(name, codec);
#else
        publish(name, codec);
        codec->load_tables();
#endif
    }

    std::shared_ptr<const Codec> lookup(const std::string& name) const {
        std::shared_lock<std::shared_mutex> g(m_);
        auto it = codecs_.find(name);
        return it == codecs_.end() ? nullptr : it->second;
    }

private:
    void publish(const std::string& name, std::shared_ptr<Codec> codec) {
        std::unique_lock<std::shared_mutex> g(m_);
        codecs_[name] = std::move(codec);
    }

    mutable std::shared_mutex m_;
    std::map<std::string, std::shared_ptr<Codec>> codecs_;
};

// Tells the maintenance thread how far the request threads have come.
class Progress {
public:
    void add() {
        bool step;
        {
            std::lock_guard<std::mutex> g(m_);
            step = (++done_ % 16) == 0;
        }
        if (step)
            cv_.notify_one();
    }
    void wait_for(int count) {
        std::unique_lock<std::mutex> l(m_);
        cv_.wait(l, [&] { return done_ >= count; });
    }
    int count() {
        std::lock_guard<std::mutex> g(m_);
        return done_;
    }

private:
    std::mutex m_;
    std::condition_variable cv_;
    int done_ = 0;
};

static const std::array<const char*, 3> kNames = {"mask", "swap", "turn"};

static void requests(const PluginHost& host, Progress& progress, int seed,
                     int count, int* newest) {
    for (int i = 0; i < count; ++i) {
        const char* name = kNames[static_cast<std::size_t>(i + seed) % kNames.size()];
        std::string text = "msg-" + std::to_string(seed) + "-" + std::to_string(i);
        std::shared_ptr<const Codec> codec = host.lookup(name);
        assert(codec);
        std::string wire = codec->encode(text);
        assert(wire.size() == text.size());
        assert(codec->decode(wire) == text);
        if (codec->version() > *newest)
            *newest = codec->version();
        progress.add();
    }
}

int main() {
    constexpr int kThreads = 2;
    constexpr int kRequests = 48;

    PluginHost host;
    Progress progress;
    for (const char* name : kNames)
        host.install(name, 1);

    std::array<int, kThreads> newest{};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            requests(host, progress, t, kRequests, &newest[static_cast<std::size_t>(t)]);
        });
    std::thread maintenance([&] {
        progress.wait_for(32);
        host.install("swap", 2);
        progress.wait_for(64);
        host.install("turn", 3);
    });

    for (auto& t : threads)
        t.join();
    maintenance.join();

    assert(progress.count() == kThreads * kRequests);
    for (int v : newest)
        assert(v >= 1 && v <= 3);
    assert(host.lookup("mask")->version() == 1);
    assert(host.lookup("swap")->version() == 2);
    assert(host.lookup("turn")->version() == 3);
    std::printf("%d requests served\n", progress.count());
    return 0;
}
