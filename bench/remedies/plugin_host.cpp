// A host that runs plugins, each in a thread of its own, and keeps what they report. Unloading waits for all of them;
// it keeps the host's mutex meanwhile, which a plugin needs for its report.
#include <cassert>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using Plugin = std::function<int(int)>;

class PluginHost {
 public:
  ~PluginHost() { unload_all(); }

  void install(std::string name, Plugin plugin) {
    std::lock_guard<std::mutex> lock(mutex_);
    installed_.emplace(std::move(name), std::move(plugin));
  }

  // Starts a plugin; false if there is none of that name.
  bool start(const std::string& name, int input) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = installed_.find(name);
    if (found == installed_.end()) return false;
    running_.emplace_back([this, name, plugin = found->second, input] {
      const int result = plugin(input);
      report(name, result);
    });
    return true;
  }

  void unload_all() {
#ifndef CORRECT
    std::lock_guard<std::mutex> lock(mutex_);
    for (std::thread& thread : running_) thread.join();
    running_.clear();
    installed_.clear();
#else
    std::vector<std::thread> leaving;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      leaving.swap(running_);
      installed_.clear();
    }
    for (std::thread& thread : leaving) thread.join();
#endif
  }

  std::map<std::string, int> results() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return results_;
  }

 private:
  void report(const std::string& name, int result) {
    std::lock_guard<std::mutex> lock(mutex_);
    results_[name] += result;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Plugin> installed_;
  std::vector<std::thread> running_;
  std::map<std::string, int> results_;
};

int main() {
  PluginHost host;
  host.install("square", [](int input) { return input * input; });
  host.install("digits", [](int input) {
    int digits = 1;
    while (input >= 10) {
      input /= 10;
      ++digits;
    }
    return digits;
  });

  bool started = host.start("square", 12);
  assert(started);
  started = host.start("digits", 4711);
  assert(started);
  started = host.start("missing", 0);
  assert(!started);
  host.unload_all();

  const std::map<std::string, int> results = host.results();
  assert(results.size() == 2);
  assert(results.at("square") == 144);
  assert(results.at("digits") == 4);
}
