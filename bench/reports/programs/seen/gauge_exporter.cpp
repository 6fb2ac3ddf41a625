// Collects gauge values and writes them to a sink from a background thread.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

struct Gauge {
    std::string name;
    double value = 0;
};

class Sink {
public:
    virtual ~Sink() = default;
    virtual void write(const std::string& line) = 0;
    virtual std::size_t lines() const = 0;
};

class BufferSink : public Sink {
public:
    void write(const std::string& line) override {
        text_ += line;
        text_ += '\n';
        ++lines_;
    }
    std::size_t lines() const override { return lines_; }

private:
    std::string text_;
    std::size_t lines_ = 0;
};

static std::unique_ptr<Sink> openSink(const std::string& target) {
    if (target == "buffer")
        return std::make_unique<BufferSink>();
    return nullptr;
}

class GaugeExporter {
public:
    GaugeExporter(const std::string& target, std::string prefix) : prefix_(std::move(prefix)) {
        worker_ = std::thread(&GaugeExporter::run, this);
        sink_ = openSink(target);
    }

    ~GaugeExporter() { finish(); }

    void publish(std::string name, double value) {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            pending_.push_back({std::move(name), value});
        }
        wake_.notify_one();
    }

    void finish() {
        {
            std::lock_guard<std::mutex> lock(mutex_);
            finishing_ = true;
        }
        wake_.notify_one();
        if (worker_.joinable())
            worker_.join();
    }

    std::size_t written() const { return sink_->lines(); }

private:
    void run() {
        sink_->write("# exporter " + prefix_);
        Gauge g;
        while (next(g))
            sink_->write(format(g));
    }

    bool next(Gauge& out) {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [this] { return finishing_ || !pending_.empty(); });
        if (pending_.empty())
            return false;
        out = std::move(pending_.front());
        pending_.pop_front();
        return true;
    }

    std::string format(const Gauge& g) const {
        std::ostringstream out;
        out << prefix_ << '.' << g.name << ' ' << g.value;
        return out.str();
    }

    std::string prefix_;
    std::unique_ptr<Sink> sink_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Gauge> pending_;
    bool finishing_ = false;
    std::thread worker_;
};

int main() {
    GaugeExporter exporter("buffer", "pump");
    exporter.publish("pressure", 1.5);
    exporter.publish("flow", 0.25);
    exporter.publish("temp", 61);
    exporter.finish();
    std::printf("%zu lines exported\n", exporter.written());
    return exporter.written() == 4 ? 0 : 1;
}
