// log_rotator.cpp - in-process log with size based rotation.
//
// Producers hand lines to RotatingLog; a background service moves them into
// the current segment and starts a new segment when the old one is full.

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

// Base of everything in the process that wants a periodic background thread.
class Service {
public:
    Service(std::string name, std::chrono::microseconds interval)
        : name_(std::move(name)), interval_(interval) {}

    virtual ~Service() { assert(!thread_.joinable() && "stop() not called"); }

    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    const std::string& name() const { return name_; }

    // To be called at the end of the constructor of the derived class.
    void start() { thread_ = std::thread(&Service::main_loop, this); }

    void stop() {
        {
            std::lock_guard<std::mutex> lock(state_mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        if (thread_.joinable())
            thread_.join();
    }

    void kick() {
        {
            std::lock_guard<std::mutex> lock(state_mutex_);
            kicked_ = true;
        }
        wake_.notify_one();
    }

protected:
    // One round of background work. Called once more after stop().
    virtual void tick() = 0;

private:
    void main_loop() {
        for (;;) {
            {
                std::unique_lock<std::mutex> lock(state_mutex_);
                wake_.wait_for(lock, interval_, [this] { return stopping_ || kicked_; });
                if (stopping_)
                    break;
                kicked_ = false;
            }
            tick();
        }
        tick();
    }

    std::string name_;
    std::chrono::microseconds interval_;
    std::mutex state_mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    bool kicked_ = false;
    std::thread thread_;
};

// A closed or open piece of log.
struct Segment {
    explicit Segment(unsigned seq) : sequence(seq) { text.reserve(4096); }
    unsigned sequence;
    std::string text;
    size_t lines = 0;
};

// Keeps the last `max_segments` segments, counts what has been dropped.
class SegmentStore {
public:
    SegmentStore(size_t max_bytes, size_t max_segments)
        : max_bytes_(max_bytes), max_segments_(max_segments), spare_(kSpareBytes, '\0') {
        open_new();
    }

    bool needs_rotation() const { return segments_.back()->text.size() >= max_bytes_; }

    void rotate() {
        open_new();
        while (segments_.size() > max_segments_) {
            dropped_lines_ += segments_.front()->lines;
            archive(*segments_.front());
            segments_.pop_front();
        }
    }

    void append(const std::string& line) {
        Segment& s = *segments_.back();
        s.text += line;
        s.text += '\n';
        ++s.lines;
    }

    size_t total_lines() const {
        size_t n = dropped_lines_;
        for (const auto& s : segments_)
            n += s->lines;
        return n;
    }
    size_t count() const { return segments_.size(); }

private:
    // Backing store for archived text, touched up front so that rotating never
    // has to fault in fresh pages.
    static constexpr size_t kSpareBytes = 160 * 1024;

    void archive(const Segment& s) {
        for (char c : s.text) {
            spare_[spare_pos_] = c;
            spare_pos_ = (spare_pos_ + 1) % spare_.size();
        }
    }

    void open_new() { segments_.push_back(std::make_unique<Segment>(next_seq_++)); }

    size_t max_bytes_;
    size_t max_segments_;
    unsigned next_seq_ = 1;
    size_t dropped_lines_ = 0;
    std::vector<char> spare_;
    size_t spare_pos_ = 0;
    std::deque<std::unique_ptr<Segment>> segments_;
};

class RotatingLog : public Service {
public:
    RotatingLog(const std::string& tag, size_t max_bytes, size_t max_segments)
        : Service("log-" + tag, std::chrono::microseconds(50)),
          prefix_("[" + tag + "] "),
          store_(std::make_unique<SegmentStore>(max_bytes, max_segments)) {
        pending_.reserve(256);
        start();
    }

    ~RotatingLog() override { stop(); }

    void write(std::string line) {
        std::lock_guard<std::mutex> lock(pending_mutex_);
        pending_.push_back(prefix_ + line);
        if (pending_.size() >= 64)
            kick();
    }

    size_t total_lines() const { return store_->total_lines(); }
    size_t segment_count() const { return store_->count(); }

protected:
    void tick() override {
        if (store_->needs_rotation())
            store_->rotate();
        std::vector<std::string> batch;
        {
            std::lock_guard<std::mutex> lock(pending_mutex_);
            batch.swap(pending_);
        }
        for (const auto& line : batch) {
            store_->append(line);
            if (store_->needs_rotation())
                store_->rotate();
        }
    }

private:
    std::string prefix_;
    std::mutex pending_mutex_;
    std::vector<std::string> pending_;
    std::unique_ptr<SegmentStore> store_;
};

static void produce(RotatingLog& log, int who, int lines) {
    for (int i = 0; i < lines; ++i) {
        char buf[96];
        std::snprintf(buf, sizeof buf, "client=%d request=%d status=%d bytes=%d",
                      who, i, i % 17 ? 200 : 404, (i * 7919) % 5000);
        log.write(buf);
    }
}

int main() {
    const int kLines = 150;
    auto log = std::make_unique<RotatingLog>("httpd", 2048, 6);

    std::thread a(produce, std::ref(*log), 1, kLines);
    std::thread b(produce, std::ref(*log), 2, kLines);
    a.join();
    b.join();
    log->stop();

    std::printf("%s: %zu lines in %zu segments\n", log->name().c_str(),
                log->total_lines(), log->segment_count());
    if (log->total_lines() != 2u * kLines) {
        std::fprintf(stderr, "lines lost\n");
        std::abort();
    }
    return 0;
}
