// Listeners that are told of events. The hub copies its list under the mutex and calls the listeners without it, so
// that they may subscribe others. Who unsubscribes a listener frees it, though it may just be called.
#include <algorithm>
#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

struct Event {
  int id;
  std::string text;
};

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_event(const Event& event) = 0;
};

#ifndef CORRECT
using ListenerRef = Listener*;
#else
using ListenerRef = std::shared_ptr<Listener>;
#endif

class EventHub {
 public:
  void subscribe(ListenerRef listener) {
    std::lock_guard<std::mutex> lock(mutex_);
    listeners_.push_back(std::move(listener));
  }

  // True if it was subscribed.
  bool unsubscribe(const ListenerRef& listener) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = std::find(listeners_.begin(), listeners_.end(), listener);
    if (found == listeners_.end()) return false;
    listeners_.erase(found);
    return true;
  }

  void publish(const Event& event) {
    std::vector<ListenerRef> listeners;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      listeners = listeners_;
    }
    for (const ListenerRef& listener : listeners) listener->on_event(event);
  }

 private:
  std::mutex mutex_;
  std::vector<ListenerRef> listeners_;
};

// Keeps the events of one kind for a view.
class Collector : public Listener {
 public:
  explicit Collector(std::string prefix) : prefix_(std::move(prefix)) {}

  void on_event(const Event& event) override {
    if (event.text.rfind(prefix_, 0) == 0) seen_.push_back(event.id);
  }

 private:
  const std::string prefix_;
  std::vector<int> seen_;
};

int main() {
  EventHub hub;
#ifndef CORRECT
  ListenerRef view = new Collector("net.");
#else
  ListenerRef view = std::make_shared<Collector>("net.");
#endif
  hub.subscribe(view);

  int published = 0;
  std::thread source([&hub, &published] {
    hub.publish(Event{1, "net.up"});
    ++published;
    hub.publish(Event{2, "disk.full"});
    ++published;
  });

  // The user closes the view.
  const bool subscribed = hub.unsubscribe(view);
  assert(subscribed);
  (void)subscribed;
#ifndef CORRECT
  delete view;
#else
  view.reset();
#endif
  source.join();
  assert(published == 2);
}
