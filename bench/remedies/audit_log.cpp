// An audit log: records are queued by whoever makes them and formatted by a thread of the log. Closing the log gives
// its formatter back and then waits for the thread, which may still have records to format.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Record {
  int user;
  std::string action;
};

// Formats records and numbers them.
class Formatter {
 public:
  explicit Formatter(std::string prefix) : prefix_(std::move(prefix)) {}

  std::string format(const Record& record) {
    ++number_;
    return prefix_ + std::to_string(number_) + " user=" + std::to_string(record.user) + " " + record.action;
  }

 private:
  std::string prefix_;
  int number_ = 0;
};

class AuditLog {
 public:
  explicit AuditLog(std::string prefix) : formatter_(std::make_unique<Formatter>(std::move(prefix))) {
    writer_ = std::thread([this] { write_records(); });
  }

  ~AuditLog() {
    if (writer_.joinable()) close();
  }

  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  void append(int user, std::string action) {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(Record{user, std::move(action)});
    filled_.notify_one();
  }

  // Every line that was written.
  std::vector<std::string> close() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    filled_.notify_one();
#ifndef CORRECT
    formatter_.reset();
    writer_.join();
#else
    writer_.join();
    formatter_.reset();
#endif
    return std::move(lines_);
  }

 private:
  void write_records() {
    for (;;) {
      Record record;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        filled_.wait(lock, [this] { return closing_ || !queue_.empty(); });
        if (queue_.empty()) return;
        record = std::move(queue_.front());
        queue_.pop_front();
      }
      lines_.push_back(formatter_->format(record));
    }
  }

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Record> queue_;
  bool closing_ = false;
  std::unique_ptr<Formatter> formatter_;
  std::vector<std::string> lines_;
  std::thread writer_;
};

int main() {
  AuditLog log("#");
  std::thread admin([&log] { log.append(1, "login"); });
  log.append(2, "delete");
  admin.join();
  const std::vector<std::string> lines = log.close();
  assert(lines.size() == 2);
  assert(lines[0].rfind("#1 ", 0) == 0);
  assert(lines[1].rfind("#2 ", 0) == 0);
}
