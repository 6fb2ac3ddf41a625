// Pbzip2: an order violation. The producer hands blocks of a file to consumers through a queue, and takes the
// queue away when it has produced all of them; a consumer may still want to look at it. The argument is the
// size of the file in blocks.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

struct Fifo {
  std::mutex lock;
  std::condition_variable changed;
  std::vector<int> blocks;
  int taken = 0;
  bool done = false;
};

Fifo the_fifo;
std::atomic<Fifo*> fifo{&the_fifo};
std::mutex output_lock;
int written_bytes, written_blocks;

int compress(int block) {
  unsigned hash = 2166136261u;
  for (int i = 0; i < 64; ++i) hash = (hash ^ static_cast<unsigned>(block * 31 + i)) * 16777619u;
  return static_cast<int>(hash % 800) + 100;
}

void consume(Fifo* queue) {
  for (;;) {
    int block = 0;
    {
      std::unique_lock<std::mutex> guard(queue->lock);
      while (queue->taken == static_cast<int>(queue->blocks.size())) {
        if (queue->done) return;
        queue->changed.wait(guard);
      }
      block = queue->blocks[queue->taken++];
    }
    const int bytes = compress(block);
    {
      std::lock_guard<std::mutex> guard(output_lock);
      written_bytes += bytes;
      written_blocks++;
    }
    queue = fifo.load();
    assert(queue != nullptr);
  }
}

}  // namespace

int main(int count, char** words) {
  const int blocks = count > 1 ? std::atoi(words[1]) : 4;
  the_fifo.blocks.reserve(static_cast<std::size_t>(blocks));
  std::vector<std::thread> consumers;
  for (int i = 0; i < 8; ++i) consumers.emplace_back(consume, &the_fifo);
  for (int block = 0; block < blocks; ++block) {
    std::lock_guard<std::mutex> guard(the_fifo.lock);
    the_fifo.blocks.push_back(block);
    the_fifo.changed.notify_one();
  }
  {
    std::lock_guard<std::mutex> guard(the_fifo.lock);
    the_fifo.done = true;
    the_fifo.changed.notify_all();
  }
  fifo.store(nullptr);
  for (std::thread& t : consumers) t.join();
  return 0;
}
