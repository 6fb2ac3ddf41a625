// The singleton of singleton.cpp, mended: the acquire load sees the whole object that the release store
// published.
#include <atomic>
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Settings {
 public:
  static Settings& instance() {
    Settings* settings = instance_.load(std::memory_order_acquire);
    if (settings == nullptr) {
      std::lock_guard lock(mutex_);
      settings = instance_.load(std::memory_order_relaxed);
      if (settings == nullptr) {
        settings = new Settings;
        instance_.store(settings, std::memory_order_release);
      }
    }
    return *settings;
  }

  int get(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? 0 : found->second;
  }

 private:
  Settings() : values_{{"retries", 3}, {"timeout", 30}} {}

  const std::map<std::string, int> values_;

  static std::mutex mutex_;
  static std::atomic<Settings*> instance_;
};

std::mutex Settings::mutex_;
std::atomic<Settings*> Settings::instance_{nullptr};

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      assert(Settings::instance().get("retries") == 3);
      assert(Settings::instance().get("timeout") == 30);
    });
  }
  for (auto& thread : threads) thread.join();
}
