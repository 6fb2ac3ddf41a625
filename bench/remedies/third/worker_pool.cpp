// Pool of workers with one inbox each.  The pool can be shrunk while work is
// going on; workers report their figures to the pool every few tasks and the
// pool collects the rest when a worker has gone.
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

struct Figures {
    std::uint64_t tasks = 0;
    std::uint64_t cost = 0;

    void operator+=(const Figures& f) {
        tasks += f.tasks;
        cost += f.cost;
    }
};

class Worker {
public:
    using Task = std::function<std::uint64_t()>;
    using Report = std::function<void(const Figures&)>;

    Worker(std::size_t report_every, Report report)
        : report_every_(report_every), report_(std::move(report)),
          thread_([this] { run(); }) {}
    ~Worker() { assert(!thread_.joinable()); }

    bool post(Task t) {
        {
            std::lock_guard<std::mutex> g(m_);
            if (stopping_)
                return false;
            inbox_.push_back(std::move(t));
        }
        cv_.notify_one();
        return true;
    }

    std::size_t backlog() {
        std::lock_guard<std::mutex> g(m_);
        return inbox_.size();
    }

    // Takes no new tasks, finishes those it has and ends.
    void stop() {
        {
            std::lock_guard<std::mutex> g(m_);
            stopping_ = true;
        }
        cv_.notify_one();
        thread_.join();
    }

    // What has not been reported; only after stop().
    const Figures& rest() const { return figures_; }

private:
    void run() {
        std::unique_lock<std::mutex> l(m_);
        for (;;) {
            cv_.wait(l, [this] { return stopping_ || !inbox_.empty(); });
            if (inbox_.empty())
                return;
            Task t = std::move(inbox_.front());
            inbox_.pop_front();
            l.unlock();
            figures_.cost += t();
            figures_.tasks += 1;
            if (figures_.tasks == report_every_) {
                report_(figures_);
                figures_ = Figures{};
            }
            l.lock();
        }
    }

    const std::size_t report_every_;
    const Report report_;
    Figures figures_;
    std::mutex m_;
    std::condition_variable cv_;
    std::deque<Task> inbox_;
    bool stopping_ = false;
    std::thread thread_;
};

class WorkerPool {
public:
    WorkerPool(std::size_t workers, std::size_t report_every) {
        for (std::size_t i = 0; i < workers; ++i)
            workers_.push_back(std::make_unique<Worker>(
                report_every, [this](const Figures& f) { add(f); }));
    }
    ~WorkerPool() { shrink_to(0); }

    void post(Worker::Task t) {
        std::lock_guard<std::mutex> g(m_);
        assert(!workers_.empty());
        Worker* idlest = workers_.front().get();
        std::size_t least = idlest->backlog();
        for (auto& w : workers_) {
            const std::size_t n = w->backlog();
            if (n < least) {
                least = n;
                idlest = w.get();
            }
        }
        if (!idlest->post(std::move(t)))
            assert(false);
    }

    void shrink_to(std::size_t count) {
        std::unique_lock<std::mutex> l(m_);
        while (workers_.size() > count) {
            std::unique_ptr<Worker> leaving = std::move(workers_.back());
            workers_.pop_back();
#ifdef CORRECT
            l.unlock();
            leaving->stop();
            l.lock();
#else
            leaving->stop();
#endif
            figures_ += leaving->rest();
        }
    }

    Figures figures() const {
        std::lock_guard<std::mutex> g(m_);
        return figures_;
    }

private:
    void add(const Figures& f) {
        std::lock_guard<std::mutex> g(m_);
        figures_ += f;
    }

    mutable std::mutex m_;
    std::vector<std::unique_ptr<Worker>> workers_;
    Figures figures_;
};

// Lets the caller wait for a number of tasks.
class Countdown {
public:
    explicit Countdown(unsigned count) : left_(count) {}
    void done(std::uint64_t cost) {
        std::lock_guard<std::mutex> g(m_);
        cost_ += cost;
        if (--left_ == 0)
            cv_.notify_one();
    }
    std::uint64_t wait() {
        std::unique_lock<std::mutex> l(m_);
        cv_.wait(l, [this] { return left_ == 0; });
        return cost_;
    }

private:
    std::mutex m_;
    std::condition_variable cv_;
    unsigned left_;
    std::uint64_t cost_ = 0;
};

static std::uint64_t render(std::uint32_t seed) {
    std::uint32_t x = seed;
    for (int i = 0; i < 200; ++i)
        x = x * 1664525u + 1013904223u;
    return x % 1000;
}

// Renders one frame on the pool; returns its cost.
static std::uint64_t render_frame(WorkerPool& pool, std::uint32_t frame, unsigned parts) {
    auto all = std::make_shared<Countdown>(parts);
    for (std::uint32_t i = 0; i < parts; ++i) {
        pool.post([all, seed = frame * 100 + i] {
            const std::uint64_t cost = render(seed);
            all->done(cost);
            return cost;
        });
    }
    return all->wait();
}

static std::uint64_t encode_frame(std::uint32_t frame) {
    std::uint64_t sum = 0;
    for (std::uint32_t row = 0; row < 48; ++row)
        sum += render(frame ^ row);
    return sum;
}

int main() {
    constexpr std::size_t kWorkers = 3;
    constexpr std::size_t kReportEvery = 8;
    constexpr unsigned kParts = 12;
    constexpr std::uint32_t kFrames = 7;

    WorkerPool pool(kWorkers, kReportEvery);
    std::uint64_t cost = 0;
    std::uint64_t encoded = 0;
    for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
        cost += render_frame(pool, frame, kParts);
        encoded += encode_frame(frame);
        if (frame == 1)
            pool.shrink_to(2);
        if (frame == 4)
            pool.shrink_to(1);
    }
    pool.shrink_to(0);

    const Figures f = pool.figures();
    assert(f.tasks == kFrames * kParts);
    assert(f.cost == cost);
    std::printf("%llu tasks, cost %llu, %llu encoded\n",
                static_cast<unsigned long long>(f.tasks),
                static_cast<unsigned long long>(f.cost),
                static_cast<unsigned long long>(encoded));
    return 0;
}
