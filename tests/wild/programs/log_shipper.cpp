// log_shipper.cpp - three stage pipeline: parse -> compress -> ship.
//
// The stages are connected by channels; when a stage has seen the end of its
// input it closes the channel to the next one.

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

template <typename T>
class Channel {
public:
    explicit Channel(size_t limit) : limit_(limit) {}

    void send(T item) {
        std::unique_lock<std::mutex> lock(mutex_);
        space_.wait(lock, [this] { return items_.size() < limit_; });
        items_.push_back(std::move(item));
        ++sent_;
        data_.notify_one();
    }

    // false: closed, and everything has been received
    bool receive(T& out) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (items_.empty() && !closed_)
            data_.wait(lock);
        if (items_.empty())
            return false;
        out = std::move(items_.front());
        items_.pop_front();
        space_.notify_one();
        return true;
    }

    void close() {
        // wake the receiver so it notices
        data_.notify_all();
        closed_ = true;
    }

    size_t sent() const { return sent_; }

private:
    const size_t limit_;
    std::mutex mutex_;
    std::condition_variable data_;
    std::condition_variable space_;
    std::deque<T> items_;
    size_t sent_ = 0;
    bool closed_ = false;
};

struct Record {
    int level;
    std::string text;
};

using Bytes = std::vector<uint8_t>;

static void parse_stage(const std::vector<std::string>& lines, Channel<Record>& out) {
    for (const auto& line : lines) {
        Record r;
        r.level = line[0] - '0';
        r.text = line.substr(2);
        if (r.level <= 6)
            out.send(std::move(r));
    }
    out.close();
}

// Run-length coding, good enough for our padded fields.
static Bytes pack(const std::string& s) {
    Bytes b;
    for (size_t i = 0; i < s.size();) {
        size_t n = 1;
        while (i + n < s.size() && s[i + n] == s[i] && n < 255)
            ++n;
        b.push_back(static_cast<uint8_t>(n));
        b.push_back(static_cast<uint8_t>(s[i]));
        i += n;
    }
    return b;
}

static void compress_stage(Channel<Record>& in, Channel<Bytes>& out) {
    Record r;
    while (in.receive(r))
        out.send(pack(std::to_string(r.level) + r.text));
    out.close();
}

struct Shipped {
    size_t packets = 0;
    size_t bytes = 0;
    size_t text = 0;
    uint32_t crc = 0;
};

static uint32_t crc32(uint32_t crc, const Bytes& data) {
    crc = ~crc;
    for (uint8_t byte : data) {
        crc ^= byte;
        for (int k = 0; k < 8; ++k)
            crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

static void ship_stage(Channel<Bytes>& in, Shipped& total) {
    Bytes b;
    while (in.receive(b)) {
        ++total.packets;
        total.bytes += b.size();
        for (size_t i = 0; i < b.size(); i += 2)
            total.text += b[i];
        total.crc = crc32(total.crc, b);
    }
}

static std::vector<std::string> sample_log(int n) {
    std::vector<std::string> lines;
    uint32_t x = 1;
    for (int i = 0; i < n; ++i) {
        x = x * 1664525u + 1013904223u;
        char buf[128];
        std::snprintf(buf, sizeof buf, "%u host%02u daemon[%5u]:        connection from 10.0.%u.%u", (x >> 28) % 8,
                      (x >> 20) % 40, (x >> 8) % 30000, (x >> 12) % 256, (x >> 16) % 256);
        lines.push_back(buf);
    }
    return lines;
}

int main() {
    const int kFiles = 2;
    size_t text = 0, bytes = 0;
    // One pipeline per log file, files are shipped one after the other.
    for (int f = 0; f < kFiles; ++f) {
        auto lines = sample_log(12 + 9 * f);
        Channel<Record> parsed(16);
        Channel<Bytes> packed(16);
        Shipped total;
        std::thread ship(ship_stage, std::ref(packed), std::ref(total));
        std::thread compress(compress_stage, std::ref(parsed), std::ref(packed));
        std::thread parse(parse_stage, std::cref(lines), std::ref(parsed));
        parse.join();
        compress.join();
        ship.join();
        if (total.packets != parsed.sent()) {
            std::fprintf(stderr, "file %d: records lost\n", f);
            std::abort();
        }
        text += total.text;
        bytes += total.bytes;
    }
    std::printf("%zu characters shipped in %zu bytes\n", text, bytes);
    return 0;
}
