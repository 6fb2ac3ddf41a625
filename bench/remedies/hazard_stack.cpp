// A stack whose nodes are freed when no hazard pointer names them. A thread announces the node that it will
// look at and then makes sure that it is still the top. The announcement is a release store, which may become
// visible after that second look: the other thread, which looks for announcements, frees the node.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

#ifdef FIXED
constexpr std::memory_order kAnnounce = std::memory_order_seq_cst;
#else
constexpr std::memory_order kAnnounce = std::memory_order_release;
#endif

namespace {

constexpr int kThreads = 2;

struct Node {
  int value;
  Node* below;
};

class Stack {
 public:
  ~Stack() {
    for (Node* node = top_.load(); node != nullptr;) {
      Node* const below = node->below;
      delete node;
      node = below;
    }
    for (auto& list : retired_) {
      for (Node* node : list) delete node;
    }
  }

  void push(int value) {
    Node* const node = new Node{value, top_.load()};
    while (!top_.compare_exchange_weak(node->below, node)) {
    }
  }

  bool pop(int me, int& value) {
    for (;;) {
      Node* const top = protect(me);
      if (top == nullptr) return false;
      Node* expected = top;
      if (!top_.compare_exchange_strong(expected, top->below)) continue;
      hazards_[me].store(nullptr, std::memory_order_release);
      value = top->value;
      retired_[me].push_back(top);
      free_retired(me);
      return true;
    }
  }

 private:
  // The top, which nobody frees until this thread announces something else.
  Node* protect(int me) {
    Node* node = top_.load();
    for (;;) {
      hazards_[me].store(node, kAnnounce);
      Node* const again = top_.load();
      if (again == node) return node;
      node = again;
    }
  }

  void free_retired(int me) {
    std::vector<Node*> kept;
    for (Node* node : retired_[me]) {
      bool in_use = false;
      for (const auto& hazard : hazards_) in_use |= hazard.load() == node;
      if (in_use) {
        kept.push_back(node);
      } else {
        delete node;
      }
    }
    retired_[me].swap(kept);
  }

  std::atomic<Node*> top_{nullptr};
  std::atomic<Node*> hazards_[kThreads] = {};
  std::vector<Node*> retired_[kThreads];
};

}  // namespace

int main() {
  Stack stack;
  stack.push(1);
  stack.push(2);
  int values[kThreads] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&stack, &values, i] {
      int value = 0;
      if (stack.pop(i, value)) values[i] = value;
    });
  }
  for (auto& thread : threads) thread.join();
  assert(values[0] + values[1] == 3);
}
