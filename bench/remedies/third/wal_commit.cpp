// Write-ahead log with group commit.  Clients append records and may wait
// until theirs are durable; a flusher writes what has gathered in one go.
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using Lsn = std::uint64_t;

// Stands for the disk: a byte stream with a running checksum.
class Device {
public:
    void write(const std::vector<std::string>& group) {
        for (const std::string& r : group) {
            for (char c : r)
                checksum_ = checksum_ * 131u + static_cast<unsigned char>(c);
            bytes_ += r.size();
            ++records_;
        }
        ++writes_;
    }
    std::uint64_t records() const { return records_; }
    std::uint64_t writes() const { return writes_; }
    std::uint64_t bytes() const { return bytes_; }

private:
    std::uint32_t checksum_ = 7;
    std::uint64_t bytes_ = 0;
    std::uint64_t records_ = 0;
    std::uint64_t writes_ = 0;
};

class WriteAheadLog {
public:
    explicit WriteAheadLog(Device& device)
        : device_(device), flusher_([this] { flush_loop(); }) {}

    ~WriteAheadLog() { close(); }

    Lsn append(std::string record) {
        std::lock_guard<std::mutex> g(m_);
        pending_.push_back(std::move(record));
        ++appended_;
        work_.notify_one();
        return appended_;
    }

    // Returns when the record with this number is durable.
    void commit(Lsn lsn) {
        std::unique_lock<std::mutex> l(m_);
        durable_changed_.wait(l, [&] { return durable_ >= lsn; });
    }

    Lsn durable() const {
        std::lock_guard<std::mutex> g(m_);
        return durable_;
    }

    void close() {
        {
            std::lock_guard<std::mutex> g(m_);
            closing_ = true;
            work_.notify_one();
        }
        if (flusher_.joinable())
            flusher_.join();
    }

private:
    void flush_loop() {
        std::unique_lock<std::mutex> l(m_);
        for (;;) {
            work_.wait(l, [this] { return closing_ || !pending_.empty(); });
            if (pending_.empty())
                return;
            std::vector<std::string> group;
            group.swap(pending_);
            l.unlock();
            device_.write(group);
            l.lock();
            durable_ += group.size();
#ifdef CORRECT
            durable_changed_.notify_all();
#else
            durable_changed_.notify_one();
#endif
        }
    }

    Device& device_;
    mutable std::mutex m_;
    std::condition_variable work_;
    std::condition_variable durable_changed_;
    std::vector<std::string> pending_;
    Lsn appended_ = 0;
    Lsn durable_ = 0;
    bool closing_ = false;
    std::thread flusher_;
};

struct Session {
    int id;
    int statements;
    int commit_every;
    int committed = 0;
};

// Runs transactions of a few statements each.
static void run_session(WriteAheadLog& log, Session& s) {
    Lsn last = 0;
    for (int i = 1; i <= s.statements; ++i) {
        last = log.append("s" + std::to_string(s.id) + " update row " +
                          std::to_string(i * 7 % 13));
        if (i % s.commit_every == 0) {
            log.commit(last);
            assert(log.durable() >= last);
            ++s.committed;
        }
    }
}

int main() {
    Device device;
    std::vector<Session> sessions = {{0, 40, 8}, {1, 24, 10}, {2, 34, 12}};
    std::uint64_t statements = 0;
    {
        WriteAheadLog log(device);
        std::vector<std::thread> threads;
        for (Session& s : sessions)
            threads.emplace_back([&log, &s] { run_session(log, s); });
        for (auto& t : threads)
            t.join();
        log.close();
        for (const Session& s : sessions) {
            assert(s.committed == s.statements / s.commit_every);
            statements += static_cast<std::uint64_t>(s.statements);
        }
        assert(log.durable() == statements);
    }
    assert(device.records() == statements);
    std::printf("%llu records in %llu writes, %llu bytes\n",
                static_cast<unsigned long long>(device.records()),
                static_cast<unsigned long long>(device.writes()),
                static_cast<unsigned long long>(device.bytes()));
    return 0;
}
