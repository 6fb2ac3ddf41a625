// A catalogue of products: an importer enters each and queues it for the indexer, which marks it as indexed. The queue
// is bounded. The importer queues a product while it has the catalogue's mutex, which the indexer needs to go on.
#include <array>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

// Items wait here for their reader; who puts one waits for room.
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  void put(int item) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (items_.size() == capacity_) room_.wait(lock);
    items_.push_back(item);
    filled_.notify_one();
  }

  int take() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (items_.empty()) filled_.wait(lock);
    const int item = items_.front();
    items_.pop_front();
    room_.notify_one();
    return item;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable room_;
  const std::size_t capacity_;
  std::deque<int> items_;
};

struct Product {
  std::string name;
  bool indexed = false;
};

class Catalogue {
 public:
  Catalogue() : queue_(1) {}

  void import(int id, const std::string& name) {
#ifndef CORRECT
    std::lock_guard<std::mutex> lock(mutex_);
    products_[id].name = name;
    queue_.put(id);
#else
    {
      std::lock_guard<std::mutex> lock(mutex_);
      products_[id].name = name;
    }
    queue_.put(id);
#endif
  }

  void end_of_import() { queue_.put(kEnd); }

  void index_all() {
    for (int id = queue_.take(); id != kEnd; id = queue_.take()) {
      std::lock_guard<std::mutex> lock(mutex_);
      products_.at(id).indexed = true;
    }
  }

  int indexed() const {
    std::lock_guard<std::mutex> lock(mutex_);
    int count = 0;
    for (const auto& [id, product] : products_) count += product.indexed && !product.name.empty() ? 1 : 0;
    return count;
  }

 private:
  static constexpr int kEnd = -1;

  mutable std::mutex mutex_;
  std::map<int, Product> products_;
  BoundedQueue queue_;
};

int main() {
  Catalogue catalogue;
  std::thread indexer([&catalogue] { catalogue.index_all(); });
  std::thread importer([&catalogue] {
    const std::array<std::string, 3> names{"lamp", "chair", "table"};
    int id = 100;
    for (const std::string& name : names) catalogue.import(id++, name);
    catalogue.end_of_import();
  });
  importer.join();
  indexer.join();
  assert(catalogue.indexed() == 3);
}
