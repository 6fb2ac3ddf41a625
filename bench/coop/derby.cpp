// In the manner of Derby #2861: a table's descriptor is shared by statements that are compiled at once. One
// saves, clears and restores its map of referenced columns; another finds it set, and uses it.
#include <mutex>

#include "coop.h"

struct ColumnMap {
  int bits[4] = {1, 1, 1, 1};
  int size = 4;
};

struct TableDescriptor {
  ColumnMap* referenced = nullptr;
  int name = 7;
  int schema = 1;
  int locks = 0;
  int type = 2;
  int version = 0;
};

std::mutex dictionary_lock;
TableDescriptor* table;
int compiled, lookups, invalidations, columns_seen;

TableDescriptor* look_up() {
  const std::lock_guard<std::mutex> guard(dictionary_lock);
  ++lookups;
  ++table->locks;
  return table;
}

void compile() {
  for (int i = 0; i < 60; ++i) {
    TableDescriptor* descriptor = look_up();
    int key = descriptor->name + descriptor->schema + descriptor->type + descriptor->version;
    if (descriptor->referenced != nullptr) {
      key += 1;
      work(60);
      ColumnMap* map = descriptor->referenced;
      assert(map != nullptr);
      for (int c = 0; c < map->size; ++c) key += map->bits[c];
    }
    std::unique_lock<std::mutex> guard(dictionary_lock);
    ++compiled;
    columns_seen += key > 0 ? 1 : 0;
    --descriptor->locks;
    guard.unlock();
    work(100);
  }
}

void drop_column() {
  for (int i = 0; i < 12; ++i) {
    TableDescriptor* descriptor = look_up();
    ColumnMap* saved = descriptor->referenced;
    descriptor->referenced = nullptr;
    descriptor->version = descriptor->version + 1;
    spin(600);
    descriptor->referenced = saved;
    {
      const std::lock_guard<std::mutex> guard(dictionary_lock);
      ++invalidations;
      --descriptor->locks;
    }
    work(700);
  }
}

int main() {
  table = new TableDescriptor;
  table->referenced = new ColumnMap;
  run_threads(compile, drop_column, compile);
}
