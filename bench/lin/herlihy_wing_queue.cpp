// The array queue of Herlihy and Wing (1990). Its dequeue waits until there is something. NO_SWAP: dequeue
// reads and then clears its slot (a seeded variant).
#include <atomic>
#include <heddle/lin.hpp>

class HerlihyWingQueue {
 public:
  void enq(int v) {
    const int slot = back_.fetch_add(1);
    items_[slot].store(v);
  }

  int deq() {
    while (true) {
      const int range = back_.load();
      for (int i = 0; i < range; ++i) {
#ifdef NO_SWAP
        const int v = items_[i].load();
        if (v == 0) continue;
        items_[i].store(0);
        return v;
#else
        if (const int v = items_[i].exchange(0); v != 0) return v;
#endif
      }
    }
  }

 private:
  std::atomic<int> items_[1024] = {};
  std::atomic<int> back_{0};
};

HEDDLE_LIN_TEST(HerlihyWingQueue, heddle::lin::QueueSpec) {
  test.clients(2, 4);
  test.operation("enq", [](HerlihyWingQueue& q, int v) { q.enq(v); }, heddle::lin::fresh());
  test.operation("deq", [](HerlihyWingQueue& q) { return q.deq(); }).needs("enq");
}
