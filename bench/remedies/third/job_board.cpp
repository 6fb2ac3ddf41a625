// Job board with fork and join: jobs may submit parts and wait for them.
// Clients submit jobs and can wait until the board has nothing left to do.
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

class JobBoard {
public:
    using Job = std::function<void()>;

    void submit(Job j) {
        std::lock_guard<std::mutex> g(m_);
        assert(!closing_);
        queue_.push_back(std::move(j));
        ++open_;
#ifdef CORRECT
        changed_.notify_all();
#else
        changed_.notify_one();
#endif
    }

    // Runs jobs until the board is closed; the body of the worker threads.
    void work() {
        std::unique_lock<std::mutex> l(m_);
        for (;;) {
            changed_.wait(l, [this] { return closing_ || !queue_.empty(); });
            if (queue_.empty())
                return;
            Job j = std::move(queue_.front());
            queue_.pop_front();
            l.unlock();
            j();
            l.lock();
            ++finished_;
            if (--open_ == 0)
                changed_.notify_all();
        }
    }

    void wait_idle() {
        std::unique_lock<std::mutex> l(m_);
        changed_.wait(l, [this] { return open_ == 0; });
    }

    void close() {
        std::lock_guard<std::mutex> g(m_);
        closing_ = true;
        changed_.notify_all();
    }

    unsigned finished() const {
        std::lock_guard<std::mutex> g(m_);
        return finished_;
    }

private:
    mutable std::mutex m_;
    std::condition_variable changed_;
    std::deque<Job> queue_;
    unsigned open_ = 0;
    unsigned finished_ = 0;
    bool closing_ = false;
};

// Collects the results of the parts of one job.
class Join {
public:
    void add(unsigned parts) {
        std::lock_guard<std::mutex> g(m_);
        left_ += parts;
    }
    void arrive(std::uint64_t result) {
        std::lock_guard<std::mutex> g(m_);
        assert(left_ > 0);
        sum_ += result;
        if (--left_ == 0)
            done_.notify_all();
    }
    std::uint64_t wait() {
        std::unique_lock<std::mutex> l(m_);
        done_.wait(l, [this] { return left_ == 0; });
        return sum_;
    }

private:
    std::mutex m_;
    std::condition_variable done_;
    unsigned left_ = 0;
    std::uint64_t sum_ = 0;
};

static std::uint64_t range_cost(std::uint32_t from, std::uint32_t to) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = from; i < to; ++i)
        sum += (i * 2654435761u) >> 20;
    return sum;
}

// Scans [from, to): the upper half as a part of its own, the lower half here.
static std::uint64_t scan(JobBoard& board, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t middle = from + (to - from) / 2;
    Join upper;
    upper.add(1);
    board.submit([&upper, middle, to] { upper.arrive(range_cost(middle, to)); });
    const std::uint64_t lower = range_cost(from, middle);
    return lower + upper.wait();
}

struct Client {
    std::uint32_t base;
    unsigned scans;
    bool report; // looks at the whole board when it is through
    std::vector<std::uint64_t> results;
    unsigned seen_finished = 0;
};

static void run_client(JobBoard& board, Client& c) {
    for (unsigned i = 0; i < c.scans; ++i) {
        const std::uint32_t from = c.base + i * 100;
        Join whole;
        whole.add(1);
        board.submit([&board, &whole, from] {
            whole.arrive(scan(board, from, from + 200));
        });
        c.results.push_back(whole.wait());
    }
    if (c.report) {
        board.wait_idle();
        c.seen_finished = board.finished();
    }
}

int main() {
    // Two clients have at most one scan each under way, so one of the
    // workers is always there for the parts.
    constexpr unsigned kWorkers = 3;

    JobBoard board;
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < kWorkers; ++i)
        workers.emplace_back([&board] { board.work(); });

    Client a{1000, 5, false, {}};
    Client b{50000, 2, true, {}};
    std::thread ta([&] { run_client(board, a); });
    std::thread tb([&] { run_client(board, b); });
    ta.join();
    tb.join();
    board.wait_idle();
    board.close();
    for (auto& w : workers)
        w.join();

    unsigned jobs = 0;
    for (const Client* c : {&a, &b}) {
        assert(c->results.size() == c->scans);
        for (unsigned i = 0; i < c->scans; ++i) {
            const std::uint32_t from = c->base + i * 100;
            assert(c->results[i] == range_cost(from, from + 200));
        }
        jobs += 2 * c->scans;
    }
    assert(b.seen_finished >= 2 * b.scans);
    assert(board.finished() == jobs);
    std::printf("%u jobs finished\n", board.finished());
    return 0;
}
