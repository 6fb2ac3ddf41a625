// Price quotes published through a sequence lock.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

namespace {

struct Quote {
    int bid;
    int ask;
};

class QuoteBoard {
public:
    // One writer.
    void publish(Quote q)
    {
        unsigned s = seq_.load(std::memory_order_relaxed);
        seq_.store(s + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        bid_.store(q.bid, std::memory_order_relaxed);
        ask_.store(q.ask, std::memory_order_relaxed);
        seq_.store(s + 2, std::memory_order_release);
    }

    // Any number of readers.
    Quote read(unsigned& version) const
    {
        for (;;) {
            unsigned before = seq_.load(std::memory_order_acquire);
            if (before % 2 == 0) {
                Quote q;
                q.bid = bid_.load(std::memory_order_relaxed);
                q.ask = ask_.load(std::memory_order_relaxed);
                std::atomic_thread_fence(std::memory_order_acquire);
                if (seq_.load(std::memory_order_relaxed) == before) {
                    version = before / 2;
                    return q;
                }
            }
            std::this_thread::yield();
        }
    }

private:
    std::atomic<unsigned> seq_{0};
    std::atomic<int> bid_{100};
    std::atomic<int> ask_{101};
};

} // namespace

int main()
{
    QuoteBoard board;

    auto reader = [&] {
        unsigned last = 0;
        for (int i = 0; i < 2; ++i) {
            unsigned version = 0;
            Quote q = board.read(version);
            assert(version >= last);
            assert(q.bid == 100 + 10 * static_cast<int>(version));
            assert(q.ask == q.bid + 1);
            last = version;
        }
    };

    std::thread r1(reader), r2(reader);
    std::thread w([&] {
        board.publish({110, 111});
        board.publish({120, 121});
    });
    w.join();
    r1.join();
    r2.join();

    unsigned v = 0;
    Quote q = board.read(v);
    assert(v == 2 && q.bid == 120);
    std::printf("%d/%d v%u\n", q.bid, q.ask, v);
    return 0;
}
