// Query fan-out: a query is split into parts for a thread pool; the caller
// waits for the batch of its parts.  A journal notes every finished batch.
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

class Journal {
public:
    explicit Journal(std::size_t batches) : finished_(batches, 0) {}
    void finished(std::size_t serial) {
        std::lock_guard<std::mutex> g(m_);
        ++finished_.at(serial);
    }
    unsigned count(std::size_t serial) const {
        std::lock_guard<std::mutex> g(m_);
        return finished_[serial];
    }

private:
    mutable std::mutex m_;
    std::vector<unsigned> finished_;
};

// The parts of one query; lives on the stack of the caller.
class Batch {
public:
    Batch(std::size_t serial, unsigned parts, Journal& journal)
        : left_(parts), serial_(serial), journal_(journal) {}
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    void part_done(std::uint64_t matches) {
        std::unique_lock<std::mutex> l(m_);
        matches_ += matches;
        if (--left_ > 0)
            return;
#ifdef CORRECT
        journal_.finished(serial_);
        done_.notify_one();
#else
        l.unlock();
        journal_.finished(serial_);
        done_.notify_one();
#endif
    }

    std::uint64_t wait() {
        std::unique_lock<std::mutex> l(m_);
        done_.wait(l, [this] { return left_ == 0; });
        return matches_;
    }

private:
    std::mutex m_;
    std::condition_variable done_;
    unsigned left_;
    std::uint64_t matches_ = 0;
    const std::size_t serial_;
    Journal& journal_;
};

class Pool {
public:
    explicit Pool(unsigned threads) {
        for (unsigned i = 0; i < threads; ++i)
            threads_.emplace_back([this] { run(); });
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> g(m_);
            closing_ = true;
        }
        cv_.notify_all();
        for (auto& t : threads_)
            t.join();
    }

    void post(std::function<void()> task) {
        {
            std::lock_guard<std::mutex> g(m_);
            tasks_.push_back(std::move(task));
        }
        cv_.notify_one();
    }

private:
    void run() {
        std::unique_lock<std::mutex> l(m_);
        for (;;) {
            cv_.wait(l, [this] { return closing_ || !tasks_.empty(); });
            if (tasks_.empty())
                return;
            std::function<void()> task = std::move(tasks_.front());
            tasks_.pop_front();
            l.unlock();
            task();
            l.lock();
        }
    }

    std::mutex m_;
    std::condition_variable cv_;
    std::deque<std::function<void()>> tasks_;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

class Table {
public:
    explicit Table(std::size_t rows) {
        std::uint32_t x = 12345;
        for (std::size_t i = 0; i < rows; ++i) {
            x = x * 1664525u + 1013904223u;
            rows_.push_back(x >> 16);
        }
    }

    std::uint64_t matches(std::size_t from, std::size_t to, std::uint32_t below) const {
        std::uint64_t n = 0;
        for (std::size_t i = from; i < to; ++i)
            n += rows_[i] < below ? 1 : 0;
        return n;
    }
    std::size_t size() const { return rows_.size(); }

private:
    std::vector<std::uint32_t> rows_;
};

static std::uint64_t query(Pool& pool, const Table& table, Journal& journal,
                           std::size_t serial, unsigned parts, std::uint32_t below) {
    Batch batch(serial, parts, journal);
    for (unsigned p = 1; p < parts; ++p) {
        const std::size_t from = table.size() * p / parts;
        const std::size_t to = table.size() * (p + 1) / parts;
        pool.post([&batch, &table, from, to, below] {
            batch.part_done(table.matches(from, to, below));
        });
    }
    // The caller takes the first part itself.
    batch.part_done(table.matches(0, table.size() / parts, below));
    return batch.wait();
}

int main() {
    constexpr std::size_t kQueries = 24;
    constexpr unsigned kParts = 3;

    const Table table(600);
    Journal journal(kQueries);
    std::uint64_t total = 0;
    {
        Pool pool(2);
        for (std::size_t q = 0; q < kQueries; ++q) {
            const std::uint32_t below = static_cast<std::uint32_t>(q * 2500 + 800);
            const std::uint64_t n = query(pool, table, journal, q, kParts, below);
            assert(n == table.matches(0, table.size(), below));
            total += n;
        }
    }
    for (std::size_t q = 0; q < kQueries; ++q)
        assert(journal.count(q) == 1);
    std::printf("%zu queries, %llu matches\n", kQueries,
                static_cast<unsigned long long>(total));
    return 0;
}
