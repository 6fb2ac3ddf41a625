// Several channels share one stream connection.  A frame is a header and a
// payload; the receiver takes the stream apart again by channel.
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

struct Header {
    std::uint16_t magic;
    std::uint8_t channel;
    std::uint8_t flags;
    std::uint32_t length;
    std::uint32_t serial;
    std::uint32_t checksum;
};

constexpr std::uint16_t kMagic = 0x4d58;

static std::uint32_t checksum_of(const std::string& s) {
    std::uint32_t h = 2166136261u;
    for (char c : s)
        h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return h;
}

static void fail(const char* what) {
    std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
    std::abort();
}

class Sender {
public:
    explicit Sender(int fd) : fd_(fd) {}

    void send(std::uint8_t channel, std::uint32_t serial, const std::string& payload) {
        Header h{};
        h.magic = kMagic;
        h.channel = channel;
        h.length = static_cast<std::uint32_t>(payload.size());
        h.serial = serial;
        h.checksum = checksum_of(payload);
        if (payload.size() <= kInline) {
            // Small frames go out in one piece.
            char buffer[sizeof h + kInline];
            std::memcpy(buffer, &h, sizeof h);
            std::memcpy(buffer + sizeof h, payload.data(), payload.size());
            std::lock_guard<std::mutex> g(m_);
            write_all(buffer, sizeof h + payload.size());
            return;
        }
#ifdef CORRECT
        std::lock_guard<std::mutex> g(m_);
        write_all(&h, sizeof h);
        write_all(payload.data(), payload.size());
#else
        {
            std::lock_guard<std::mutex> g(m_);
            write_all(&h, sizeof h);
        }
        std::lock_guard<std::mutex> g(m_);
        write_all(payload.data(), payload.size());
#endif
    }

    void finish() {
        if (shutdown(fd_, SHUT_WR) != 0)
            fail("shutdown");
    }

private:
    static constexpr std::size_t kInline = 64;

    void write_all(const void* data, std::size_t size) {
        const char* p = static_cast<const char*>(data);
        while (size > 0) {
            const ssize_t n = ::send(fd_, p, size, MSG_NOSIGNAL);
            if (n < 0) {
                if (errno == EINTR)
                    continue;
                fail("send");
            }
            p += n;
            size -= static_cast<std::size_t>(n);
        }
    }

    const int fd_;
    std::mutex m_;
};

struct ChannelReport {
    std::uint32_t frames = 0;
    std::uint64_t bytes = 0;
};

class Receiver {
public:
    explicit Receiver(int fd, std::size_t channels) : fd_(fd), reports_(channels) {}

    void run() {
        Header h;
        while (read_exactly(&h, sizeof h)) {
            if (h.magic != kMagic || h.channel >= reports_.size() || h.length > 4096) {
                std::fprintf(stderr, "stream out of step\n");
                std::abort();
            }
            std::string payload(h.length, '\0');
            if (!read_exactly(payload.data(), payload.size()))
                fail("short stream");
            ChannelReport& r = reports_[h.channel];
            assert(checksum_of(payload) == h.checksum);
            assert(h.serial == r.frames);
            ++r.frames;
            r.bytes += payload.size();
        }
    }

    const std::vector<ChannelReport>& reports() const { return reports_; }

private:
    // False at the end of the stream.
    bool read_exactly(void* data, std::size_t size) {
        char* p = static_cast<char*>(data);
        std::size_t got = 0;
        while (got < size) {
            const ssize_t n = ::recv(fd_, p + got, size - got, 0);
            if (n == 0)
                return got == 0 ? false : (fail("short stream"), false);
            if (n < 0) {
                if (errno == EINTR)
                    continue;
                fail("recv");
            }
            got += static_cast<std::size_t>(n);
        }
        return true;
    }

    const int fd_;
    std::vector<ChannelReport> reports_;
};

// Mostly short messages, now and then a longer one.
static std::string message(std::uint8_t channel, std::uint32_t serial) {
    const std::size_t size = serial % 16 == 11 ? 150 + serial : 12 + serial % 23;
    std::string s;
    for (std::size_t i = 0; i < size; ++i)
        s.push_back(static_cast<char>('a' + (i + serial + channel) % 26));
    return s;
}

int main() {
    constexpr std::uint8_t kChannels = 2;
    constexpr std::uint32_t kFrames = 64;

    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        fail("socketpair");
    Sender sender(fds[0]);
    Receiver receiver(fds[1], kChannels);

    std::array<std::uint64_t, kChannels> bytes{};
    std::thread reading([&] { receiver.run(); });
    std::vector<std::thread> writing;
    for (std::uint8_t c = 0; c < kChannels; ++c)
        writing.emplace_back([&, c] {
            for (std::uint32_t i = 0; i < kFrames; ++i) {
                const std::string m = message(c, i);
                sender.send(c, i, m);
                bytes[c] += m.size();
            }
        });
    for (auto& t : writing)
        t.join();
    sender.finish();
    reading.join();

    for (std::size_t c = 0; c < kChannels; ++c) {
        assert(receiver.reports()[c].frames == kFrames);
        assert(receiver.reports()[c].bytes == bytes[c]);
        std::printf("channel %zu: %llu bytes\n", c,
                    static_cast<unsigned long long>(bytes[c]));
    }
    close(fds[0]);
    close(fds[1]);
    return 0;
}
