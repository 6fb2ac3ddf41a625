// TwoStage: one value is written under one lock and what depends on it under another; a reader comes between
// the stages.
// Short, for the solver; bench/coop has it for native runs, bench/deep in C with any number of threads.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex first_lock, second_lock;
int data1, data2;

void write() {
  int written = 0;
  {
    std::lock_guard<std::mutex> guard(first_lock);
    data1 = written = 1;
  }
  std::lock_guard<std::mutex> guard(second_lock);
  data2 = written + 1;
}

void read() {
  int seen1 = 0, seen2 = 0;
  {
    std::lock_guard<std::mutex> guard(first_lock);
    if (data1 == 0) return;
    seen1 = data1;
  }
  {
    std::lock_guard<std::mutex> guard(second_lock);
    seen2 = data2;
  }
  assert(seen2 == seen1 + 1);
}

}  // namespace

int main() {
  // One after the other: nothing can go wrong yet.
  for (int round = 0; round < 3; ++round) {
    write();
    read();
    data1 = data2 = 0;
  }
  std::thread writer(write), another(write), reader(read);
  writer.join();
  another.join();
  reader.join();
  return 0;
}
