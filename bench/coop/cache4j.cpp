// In the manner of Cache4j: an object of the cache is looked up, found valid and then read, while another
// thread resets it for reuse.
#include <mutex>

#include "coop.h"

struct CacheObject {
  int key = 0;
  int value = 0;
  int valid = 0;
};

std::mutex map_lock;
CacheObject* slot;

void put(int key) {
  CacheObject* object = nullptr;
  {
    const std::lock_guard<std::mutex> guard(map_lock);
    object = slot;
  }
  object->valid = 0;
  object->key = key;
  work(60);
  object->value = key * 10;
  object->valid = 1;
}

void get() {
  CacheObject* object = nullptr;
  {
    const std::lock_guard<std::mutex> guard(map_lock);
    object = slot;
  }
  if (object->valid == 0) return;
  const int key = object->key;
  work(60);
  const int value = object->value;
  assert(value == key * 10);
}

int main() {
  slot = new CacheObject;
  slot->valid = 1;
  run_threads(
      [] {
        for (int i = 1; i <= 8; ++i) {
          put(i);
          work(100);
        }
      },
      [] {
        for (int i = 0; i < 8; ++i) {
          get();
          work(100);
        }
      });
}
