// Counters are collected by name and written out in batches by a background thread that the flusher owns.
// The thread is a member that is made before the size of the batches is: it can look at the size first.
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Sample {
  std::string name;
  int value;
};

// What has been written, by one thread at a time.
class Sink {
 public:
  void write(const std::vector<Sample>& batch) {
    ++writes_;
    for (const Sample& sample : batch) totals_[sample.name] += sample.value;
  }

  int writes() const { return writes_; }
  int total(const std::string& name) const {
    const auto found = totals_.find(name);
    return found == totals_.end() ? 0 : found->second;
  }

 private:
  int writes_ = 0;
  std::map<std::string, int> totals_;
};

class StatsFlusher {
 public:
  StatsFlusher(Sink& sink, std::size_t batch)
#ifndef CORRECT
      : sink_(sink),
        worker_([this] { run(); }),
        batch_(batch){}
#else
      : sink_(sink), batch_(batch) {
    worker_ = std::thread([this] { run(); });
  }
#endif

        ~StatsFlusher() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    worker_.join();
  }

  StatsFlusher(const StatsFlusher&) = delete;
  StatsFlusher& operator=(const StatsFlusher&) = delete;

  void count(std::string name, int value) {
    std::lock_guard<std::mutex> lock(mutex_);
    pending_.push_back(Sample{std::move(name), value});
    changed_.notify_one();
  }

 private:
  void run() {
    const std::size_t limit = batch_;
    assert(limit >= 1 && limit <= 64);
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this, limit] { return stopping_ || pending_.size() >= limit; });
      if (pending_.empty()) return;
      const std::size_t taken = pending_.size() < limit ? pending_.size() : limit;
      const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(taken);
      const std::vector<Sample> batch(pending_.begin(), end);
      pending_.erase(pending_.begin(), end);
      lock.unlock();
      sink_.write(batch);
      lock.lock();
    }
  }

  Sink& sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Sample> pending_;
  bool stopping_ = false;
  std::thread worker_;
  std::size_t batch_;
};

int main() {
  Sink sink;
  {
    const auto flusher = std::make_unique<StatsFlusher>(sink, 2);
    flusher->count("requests", 1);
    flusher->count("bytes", 512);
    flusher->count("requests", 1);
  }
  assert(sink.total("requests") == 2);
  assert(sink.total("bytes") == 512);
  assert(sink.writes() == 2);
}
