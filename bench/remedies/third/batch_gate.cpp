// Simulation stepper: a coordinator starts a step, the workers advance their
// share of the cells, and the coordinator goes on when all shares are done.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

class StepGate {
public:
    explicit StepGate(int workers) : workers_(workers) {}

    // Coordinator: releases the workers into the given step.
    void begin(int step) {
        {
            std::lock_guard<std::mutex> g(m_);
            left_.store(workers_);
            step_ = step;
        }
        started_.notify_all();
    }

    // Coordinator: waits until every share of the step is done.
    void wait_done() {
        std::unique_lock<std::mutex> l(m_);
        done_.wait(l, [this] { return left_.load() == 0; });
    }

    // Worker: waits for the step; false when there are no more steps.
    bool wait_begin(int step) {
        std::unique_lock<std::mutex> l(m_);
        started_.wait(l, [&] { return step_ >= step || closed_; });
        return step_ >= step;
    }

    // Worker: reports its share of the current step.
    void share_done() {
        if (left_.fetch_sub(1) == 1) {
#ifdef CORRECT
            std::lock_guard<std::mutex> g(m_);
#else
#endif
            done_.notify_one();
        }
    }

    void close() {
        {
            std::lock_guard<std::mutex> g(m_);
            closed_ = true;
        }
        started_.notify_all();
    }

private:
    const int workers_;
    std::mutex m_;
    std::condition_variable started_;
    std::condition_variable done_;
    std::atomic<int> left_{0};
    int step_ = 0;
    bool closed_ = false;
};

// One-dimensional cellular automaton on a ring, double-buffered.
class Field {
public:
    explicit Field(std::size_t cells) : now_(cells, 0), next_(cells, 0) {
        now_[cells / 2] = 1;
    }

    void advance(std::size_t from, std::size_t to) {
        const std::size_t n = now_.size();
        for (std::size_t i = from; i < to; ++i) {
            const unsigned left = now_[(i + n - 1) % n];
            const unsigned right = now_[(i + 1) % n];
            next_[i] = static_cast<std::uint8_t>((30u >> (left * 4u + now_[i] * 2u + right)) & 1u);
        }
    }

    void flip() { now_.swap(next_); }

    std::uint64_t digest() const {
        std::uint64_t h = 1469598103934665603ull;
        for (std::uint8_t c : now_)
            h = (h ^ c) * 1099511628211ull;
        return h;
    }
    std::size_t size() const { return now_.size(); }

private:
    std::vector<std::uint8_t> now_;
    std::vector<std::uint8_t> next_;
};

static std::uint64_t run_alone(std::size_t cells, int steps) {
    Field f(cells);
    for (int s = 0; s < steps; ++s) {
        f.advance(0, f.size());
        f.flip();
    }
    return f.digest();
}

int main() {
    constexpr int kWorkers = 2;
    constexpr int kSteps = 25;
    constexpr std::size_t kCells = 240;

    Field field(kCells);
    StepGate gate(kWorkers);
    std::vector<int> shares(kWorkers, 0);

    std::vector<std::thread> workers;
    for (int w = 0; w < kWorkers; ++w) {
        workers.emplace_back([&, w] {
            const std::size_t from = kCells * static_cast<std::size_t>(w) / kWorkers;
            const std::size_t to = kCells * static_cast<std::size_t>(w + 1) / kWorkers;
            for (int step = 1; gate.wait_begin(step); ++step) {
                field.advance(from, to);
                ++shares[static_cast<std::size_t>(w)];
                gate.share_done();
            }
        });
    }

    for (int step = 1; step <= kSteps; ++step) {
        gate.begin(step);
        gate.wait_done();
        field.flip();
    }
    gate.close();
    for (auto& t : workers)
        t.join();

    for (int n : shares)
        assert(n == kSteps);
    assert(field.digest() == run_alone(kCells, kSteps));
    std::printf("%d steps, digest %016llx\n", kSteps,
                static_cast<unsigned long long>(field.digest()));
    return 0;
}
