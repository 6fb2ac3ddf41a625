// Read-mostly dispatch table.  Workers mark themselves busy in a slot of
// their own while they use the table; the maintainer closes the gate, waits
// until no slot is busy and then rebuilds the table in place.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <thread>
#include <vector>

constexpr std::size_t kWorkers = 2;

class Gate {
public:
    // False while the gate is closed.
    bool enter(std::size_t worker) {
        std::atomic<bool>& busy = slots_[worker].busy;
#ifdef CORRECT
        busy.store(true, std::memory_order_seq_cst);
#else
        busy.store(true, std::memory_order_release);
#endif
        if (closed_.load(std::memory_order_seq_cst)) {
            busy.store(false, std::memory_order_release);
            return false;
        }
        return true;
    }

    void leave(std::size_t worker) {
        slots_[worker].busy.store(false, std::memory_order_release);
    }

    // Returns when no worker is inside and none can enter.
    void close() {
        closed_.store(true, std::memory_order_seq_cst);
        for (Slot& s : slots_)
            while (s.busy.load(std::memory_order_seq_cst))
                std::this_thread::yield();
    }

    void open() { closed_.store(false, std::memory_order_release); }

private:
    struct alignas(64) Slot {
        std::atomic<bool> busy{false};
    };

    std::array<Slot, kWorkers> slots_;
    alignas(64) std::atomic<bool> closed_{false};
};

class DispatchTable {
public:
    explicit DispatchTable(std::size_t routes) : targets_(routes, 0) { rebuild(1); }

    void rebuild(std::uint32_t generation) {
        generation_ = 0;
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            targets_[i] = static_cast<std::uint32_t>(i) * 17u + generation;
            sum += targets_[i];
        }
        sum_ = sum;
        generation_ = generation;
    }

    std::uint32_t dispatch(std::uint32_t request) const {
        const std::size_t route = request % targets_.size();
        const std::uint32_t target = targets_[route];
        if (target != route * 17u + generation_) {
            std::fprintf(stderr, "request %u: target %u in generation %u\n", request,
                         target, generation_);
            std::abort();
        }
        return target;
    }

    bool consistent() const {
        std::uint32_t sum = 0;
        for (std::uint32_t t : targets_)
            sum += t;
        return sum == sum_;
    }

    std::uint32_t generation() const { return generation_; }

private:
    std::vector<std::uint32_t> targets_;
    std::uint32_t sum_ = 0;
    std::uint32_t generation_ = 0;
};

struct WorkerReport {
    int dispatched = 0;
    int turned_away = 0;
};

static void work(Gate& gate, const DispatchTable& table, std::size_t self, int count,
                 WorkerReport& report) {
    for (int i = 0; i < count; ++i) {
        while (!gate.enter(self)) {
            ++report.turned_away;
            std::this_thread::yield();
        }
        table.dispatch(static_cast<std::uint32_t>(i * 5 + static_cast<int>(self)));
        gate.leave(self);
        ++report.dispatched;
    }
}

int main() {
    constexpr int kRequests = 700;
    constexpr std::uint32_t kRebuilds = 40;

    Gate gate;
    DispatchTable table(12);
    std::array<WorkerReport, kWorkers> reports;
    std::latch start(kWorkers + 1);

    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < kWorkers; ++w)
        threads.emplace_back([&, w] {
            start.arrive_and_wait();
            work(gate, table, w, kRequests, reports[w]);
        });
    threads.emplace_back([&] {
        start.arrive_and_wait();
        for (std::uint32_t g = 2; g < 2 + kRebuilds; ++g) {
            gate.close();
            table.rebuild(g);
            gate.open();
        }
    });
    for (auto& t : threads)
        t.join();

    int turned_away = 0;
    for (const WorkerReport& r : reports) {
        assert(r.dispatched == kRequests);
        turned_away += r.turned_away;
    }
    assert(table.generation() == 1 + kRebuilds);
    assert(table.consistent());
    std::printf("%zu requests, %u rebuilds, %d turned away\n", kWorkers * kRequests,
                kRebuilds, turned_away);
    return 0;
}
