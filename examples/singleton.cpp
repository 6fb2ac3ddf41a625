// Double-checked locking with a plain pointer: the first check is outside the lock and nothing orders it
// after the construction that another thread did. A data race, and on weakly ordered machines a half-built
// object.
//
//   heddle c++ -g -O1 singleton.cpp -o singleton && heddle run -- ./singleton
//
// singleton_fixed.cpp makes the pointer atomic, published with release and checked with acquire.
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Settings {
 public:
  static Settings& instance() {
    if (instance_ == nullptr) {
      std::lock_guard lock(mutex_);
      if (instance_ == nullptr) instance_ = new Settings;
    }
    return *instance_;
  }

  int get(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? 0 : found->second;
  }

 private:
  Settings() : values_{{"retries", 3}, {"timeout", 30}} {}

  const std::map<std::string, int> values_;

  static std::mutex mutex_;
  static Settings* instance_;
};

std::mutex Settings::mutex_;
Settings* Settings::instance_ = nullptr;

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
