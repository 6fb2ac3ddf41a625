// Pose of a vehicle, written by the navigation thread and read without locks
// by control and display.  A version counter tells readers whether the pose
// changed under their hands; it is odd while the writer is at work.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

struct Pose {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t heading = 0;
    std::int64_t stamp = 0;
};

class PoseBoard {
public:
    // One writer only.
    void publish(const Pose& p) {
        const std::uint64_t v = version_.load(std::memory_order_relaxed);
        version_.store(v + 1, std::memory_order_relaxed);
        put(0, p.x);
        put(1, p.y);
        put(2, p.heading);
        put(3, p.stamp);
        version_.store(v + 2, std::memory_order_release);
    }

    // True if a consistent pose could be read.
    bool try_read(Pose& p) const {
        const std::uint64_t before = version_.load(std::memory_order_acquire);
        if (before & 1)
            return false;
        p.x = fields_[0].load(std::memory_order_acquire);
        p.y = fields_[1].load(std::memory_order_acquire);
        p.heading = fields_[2].load(std::memory_order_acquire);
        p.stamp = fields_[3].load(std::memory_order_acquire);
        return version_.load(std::memory_order_relaxed) == before;
    }

    std::uint64_t updates() const {
        return version_.load(std::memory_order_acquire) / 2;
    }

private:
    void put(std::size_t field, std::int64_t value) {
#ifdef CORRECT
        fields_[field].store(value, std::memory_order_release);
#else
        fields_[field].store(value, std::memory_order_relaxed);
#endif
    }

    std::atomic<std::uint64_t> version_{0};
    std::array<std::atomic<std::int64_t>, 4> fields_{};
};

// Dead reckoning on a square course.
class Navigator {
public:
    Pose step() {
        ++pose_.stamp;
        const std::int64_t side = pose_.stamp / 16 % 4;
        switch (side) {
        case 0: pose_.x += 5; break;
        case 1: pose_.y += 5; break;
        case 2: pose_.x -= 5; break;
        default: pose_.y -= 5; break;
        }
        pose_.heading = pose_.x * 7 + pose_.y * 3 + pose_.stamp;
        return pose_;
    }

private:
    Pose pose_;
};

static void require(bool ok, const char* what, const Pose& p) {
    if (ok)
        return;
    std::fprintf(stderr, "%s: pose %lld/%lld heading %lld at %lld\n", what,
                 static_cast<long long>(p.x), static_cast<long long>(p.y),
                 static_cast<long long>(p.heading), static_cast<long long>(p.stamp));
    std::abort();
}

struct ReaderReport {
    int read = 0;
    int retried = 0;
    std::int64_t last_stamp = 0;
};

static void follow(const PoseBoard& board, const char* name, int count,
                   ReaderReport& report) {
    Pose p;
    for (int i = 0; i < count; ++i) {
        int tries = 0;
        while (!board.try_read(p)) {
            ++report.retried;
            if (++tries % 8 == 0)
                std::this_thread::yield();
        }
        require(p.heading == p.x * 7 + p.y * 3 + p.stamp, name, p);
        require(p.stamp >= report.last_stamp, name, p);
        report.last_stamp = p.stamp;
        ++report.read;
    }
}

int main() {
    constexpr int kUpdates = 100;
    constexpr int kReads = 100;

    PoseBoard board;
    ReaderReport control;
    ReaderReport display;

    std::thread navigation([&] {
        Navigator nav;
        for (int i = 0; i < kUpdates; ++i)
            board.publish(nav.step());
    });
    std::thread control_thread([&] { follow(board, "control", kReads, control); });
    std::thread display_thread([&] { follow(board, "display", kReads, display); });
    navigation.join();
    control_thread.join();
    display_thread.join();

    Pose last;
    if (!board.try_read(last))
        std::abort();
    assert(board.updates() == kUpdates);
    assert(last.stamp == kUpdates);
    assert(control.read == kReads && display.read == kReads);
    assert(control.last_stamp <= last.stamp && display.last_stamp <= last.stamp);
    std::printf("%d updates, %d reads, %d retried\n", kUpdates,
                control.read + display.read, control.retried + display.retried);
    return 0;
}
