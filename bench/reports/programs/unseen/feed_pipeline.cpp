#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace feed {

struct Quote {
    std::string symbol;
    int cents;
};

using Sink = std::function<void(const Quote&)>;

// Replays a list of quotes on its own thread.
class ReplaySource {
public:
    explicit ReplaySource(std::vector<Quote> quotes) : quotes_(std::move(quotes)) {}

    ~ReplaySource() { join(); }

    void connect(Sink sink) {
        std::lock_guard<std::mutex> lock(mutex_);
        sinks_.push_back(std::move(sink));
    }

    void launch() {
        thread_ = std::thread([this] {
            for (const Quote& q : quotes_)
                deliver(q);
        });
    }

    void join() {
        if (thread_.joinable())
            thread_.join();
    }

private:
    void deliver(const Quote& q) {
        std::vector<Sink> sinks;
        {
            std::lock_guard<std::mutex> lock(mutex_);
            sinks = sinks_;
        }
        for (auto& s : sinks)
            s(q);
    }

    std::vector<Quote> quotes_;
    std::mutex mutex_;
    std::vector<Sink> sinks_;
    std::thread thread_;
};

class Pipeline {
public:
    void addSource(std::vector<Quote> quotes) {
        sources_.push_back(std::make_unique<ReplaySource>(std::move(quotes)));
    }

    void addSink(Sink sink) { sinks_.push_back(std::move(sink)); }

    void start() {
        for (auto& source : sources_) {
            source->launch();
            for (const Sink& sink : sinks_)
                source->connect(sink);
        }
    }

    void waitUntilDrained() {
        for (auto& source : sources_)
            source->join();
    }

private:
    std::vector<std::unique_ptr<ReplaySource>> sources_;
    std::vector<Sink> sinks_;
};

class Recorder {
public:
    Sink sink() {
        return [this](const Quote& q) {
            std::lock_guard<std::mutex> lock(mutex_);
            cents_.push_back(q.cents);
        };
    }

    std::size_t count() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return cents_.size();
    }

    int sum() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return std::accumulate(cents_.begin(), cents_.end(), 0);
    }

private:
    mutable std::mutex mutex_;
    std::vector<int> cents_;
};

}  // namespace feed

TEST(ReplaySourceTest, DeliversToConnectedSink) {
    feed::Recorder recorder;
    feed::ReplaySource source({{"ABC", 10}, {"ABC", 11}});
    source.connect(recorder.sink());
    source.launch();
    source.join();
    EXPECT_EQ(recorder.count(), 2u);
    EXPECT_EQ(recorder.sum(), 21);
}

TEST(PipelineTest, StartsWithoutSinks) {
    feed::Pipeline pipeline;
    pipeline.addSource({{"ABC", 10}});
    pipeline.start();
    pipeline.waitUntilDrained();
    SUCCEED();
}

TEST(PipelineTest, RecorderSeesEveryQuote) {
    feed::Recorder recorder;
    feed::Pipeline pipeline;
    pipeline.addSource({{"ABC", 10}, {"ABC", 12}});
    pipeline.addSource({{"XYZ", 70}, {"XYZ", 71}});
    pipeline.addSink(recorder.sink());
    pipeline.start();
    pipeline.waitUntilDrained();
    EXPECT_EQ(recorder.count(), 4u) << "quotes were lost on the way";
    EXPECT_EQ(recorder.sum(), 163);
}
