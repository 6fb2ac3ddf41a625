// Logger with a background thread that collects the lines.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Logger {
public:
    Logger() : thread_([this] { run(); }) {}

    ~Logger() { stop(); }

    void log(std::string line)
    {
        std::lock_guard<std::mutex> lk(m_);
        pending_.push_back(std::move(line));
        cv_.notify_one();
    }

    // Stops the thread and writes what is left over.
    void stop()
    {
        std::lock_guard<std::mutex> lk(m_);
        if (!thread_.joinable())
            return;
        stopping_.store(true);
        cv_.notify_one();
        thread_.join();
        write(pending_);
        pending_.clear();
    }

    std::size_t written() const { return written_; }

private:
    void run()
    {
        while (!stopping_.load()) {
            std::vector<std::string> batch;
            {
                std::unique_lock<std::mutex> lk(m_);
                cv_.wait(lk, [this] { return !pending_.empty() || stopping_.load(); });
                batch.swap(pending_);
            }
            write(batch);
        }
    }

    // Only one thread at a time gets here: the background thread, or stop() after it.
    void write(const std::vector<std::string>& lines)
    {
        for (const auto& l : lines)
            if (!l.empty())
                ++written_;
    }

    std::mutex m_;
    std::condition_variable cv_;
    std::vector<std::string> pending_;
    std::atomic<bool> stopping_{false};
    std::size_t written_ = 0;
    std::thread thread_;
};

int main()
{
    Logger logger;
    std::thread user([&] { logger.log("user: hello"); });
    logger.log("main: hello");
    user.join();
    logger.stop();
    assert(logger.written() == 2);
    std::printf("%zu lines\n", logger.written());
    return 0;
}
