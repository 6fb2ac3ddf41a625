// In the manner of Tomcat #37458: two requests load a class at once. One finds the class not yet defined,
// defines it and lets go of the bytes that it was made from; the other uses them.
#include <mutex>

#include "coop.h"

struct ResourceEntry {
  int* binary = nullptr;
  int loaded_class = 0;
  int manifest = 1;
  int source = 2;
  int code_base = 3;
  int certificates = 4;
  int last_modified = 5;
};

std::mutex loader_lock;
ResourceEntry* entry;
int found, defined, delegated, parents_asked, packages_defined, permissions, resources, started = 1;

int find_class() {
  ResourceEntry* e = nullptr;
  {
    const std::lock_guard<std::mutex> guard(loader_lock);
    ++found;
    ++parents_asked;
    e = entry;
  }
  if (started == 0) return 0;
  if (e->loaded_class != 0) return e->loaded_class;
  const int origin = e->source + e->code_base + e->certificates + e->last_modified + e->manifest;
  ++delegated;
  ++permissions;
  ++packages_defined;
  work(100);
  const int* bytes = e->binary;
  assert(bytes != nullptr);
  const int made = origin + bytes[0];
  {
    const std::lock_guard<std::mutex> guard(loader_lock);
    e->loaded_class = made;
    e->binary = nullptr;
    ++defined;
  }
  ++resources;
  return e->loaded_class;
}

int main() {
  entry = new ResourceEntry;
  entry->binary = new int[4]{};
  run_threads(
      [] {
        linger(2000);
        find_class();
      },
      [] { find_class(); });
}
