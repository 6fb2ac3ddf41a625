// job_dispatcher.cpp - a queue of jobs served by a few workers.

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Job {
    virtual ~Job() = default;
    virtual void execute() = 0;
};

class WordCount : public Job {
public:
    WordCount(std::string text, int* out) : text_(std::move(text)), out_(out) {}
    void execute() override {
        int words = 0;
        bool in = false;
        for (char c : text_) {
            bool letter = c != ' ' && c != '\n';
            words += letter && !in;
            in = letter;
        }
        *out_ = words;
    }

private:
    std::string text_;
    int* out_;
};

class PrimeCheck : public Job {
public:
    PrimeCheck(uint32_t n, int* out) : n_(n), out_(out) {}
    void execute() override {
        int prime = n_ > 1;
        for (uint32_t d = 2; uint64_t(d) * d <= n_; ++d)
            if (n_ % d == 0)
                prime = 0;
        *out_ = prime;
    }

private:
    uint32_t n_;
    int* out_;
};

class JobQueue {
public:
    explicit JobQueue(size_t limit) : limit_(limit) {}

    void push(std::unique_ptr<Job> job) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (jobs_.size() >= limit_)
            not_full_.wait(lock);
        jobs_.push_back(std::move(job));
        not_empty_.notify_one();
    }

    // Returns false when the queue is closed and drained.
    bool pop(std::unique_ptr<Job>& job) {
        std::unique_lock<std::mutex> lock(mutex_);
        while (jobs_.empty() && !closed_)
            not_empty_.wait(lock);
        if (closed_ && jobs_.empty())
            return false;
        job = std::move(jobs_.front());
        jobs_.pop_front();
        not_full_.notify_one();
        return true;
    }

    void close() {
        std::lock_guard<std::mutex> lock(mutex_);
        closed_ = true;
        not_empty_.notify_all();
    }

private:
    const size_t limit_;
    std::mutex mutex_;
    std::condition_variable not_empty_;
    std::condition_variable not_full_;
    std::deque<std::unique_ptr<Job>> jobs_;
    bool closed_ = false;
};

class Dispatcher {
public:
    Dispatcher(int workers, size_t limit) : queue_(limit), executed_(workers, 0) {
        for (int i = 0; i < workers; ++i)
            threads_.emplace_back(&Dispatcher::work, this, i);
    }

    void submit(std::unique_ptr<Job> job) { queue_.push(std::move(job)); }

    int finish() {
        queue_.close();
        for (auto& t : threads_)
            t.join();
        int n = 0;
        for (int e : executed_)
            n += e;
        return n;
    }

private:
    void work(int index) {
        std::unique_ptr<Job> job;
        while (queue_.pop(job)) {
            job->execute();
            ++executed_[index];
        }
    }

    JobQueue queue_;
    std::vector<int> executed_;
    std::vector<std::thread> threads_;
};

int main() {
    const int kJobs = 21;
    std::vector<int> results(kJobs, -1);
    Dispatcher dispatcher(2, 16);

    std::string text = "the quick brown fox jumps over the lazy dog ";
    for (int i = 0; i < kJobs; ++i) {
        if (i % 3 == 0) {
            std::string doc;
            for (int k = 0; k < 20 + i; ++k)
                doc += text;
            dispatcher.submit(std::make_unique<WordCount>(doc, &results[i]));
        } else {
            dispatcher.submit(std::make_unique<PrimeCheck>(30000000u + 17u * i, &results[i]));
        }
    }
    int executed = dispatcher.finish();

    long words = 0;
    for (int i = 0; i < kJobs; i += 3)
        words += results[i];
    std::printf("%d jobs executed, %ld words\n", executed, words);
    for (int r : results)
        if (r < 0)
            std::abort();
    return executed == kJobs ? 0 : 1;
}
