// A client that keeps re-posting its request until the server acknowledges.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>

namespace {

struct Channel {
    std::atomic<int> request{0}; // number of the request that is posted
    std::atomic<int> ack{0};     // number of the request that was answered
    int argument = 0;            // owned by whoever's turn it is
    int answer = 0;
};

constexpr int kRounds = 2;

void server(Channel& ch)
{
    for (int round = 1; round <= kRounds; ++round) {
        while (ch.request.load(std::memory_order_acquire) != round)
            std::this_thread::yield();
        ch.answer = ch.argument * 2;
        ch.ack.store(round, std::memory_order_release);
    }
}

int call(Channel& ch, int round, int argument)
{
    ch.argument = argument;
    while (ch.ack.load(std::memory_order_acquire) != round) {
        // Heartbeat: the same value over and over is harmless.
        ch.request.store(round, std::memory_order_release);
        std::this_thread::yield();
    }
    return ch.answer;
}

} // namespace

int main()
{
    Channel ch;
    std::atomic<bool> finished{false};
    int total = 0;

    std::thread srv(server, std::ref(ch));
    std::thread cli([&] {
        for (int round = 1; round <= kRounds; ++round)
            total += call(ch, round, 10 * round);
        finished.store(true, std::memory_order_release);
    });

    // Consume the flag; clearing a clear flag changes nothing.
    while (!finished.exchange(false, std::memory_order_acquire))
        std::this_thread::yield();

    assert(total == 60);
    std::printf("total %d\n", total);

    cli.join();
    srv.join();
    assert(!finished.load(std::memory_order_relaxed));
    return 0;
}
