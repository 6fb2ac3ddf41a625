// The Snark deque (Detlefs et al. 2000), whose two faults Doherty et al. published in 2004. It needs a
// compare-and-swap of two words, which is one step here.
// CORRECT: as mended in that paper: pops claim their value, and an empty deque is looked at again.
#include <atomic>
#include <heddle/lin.hpp>
#include <mutex>
#include <optional>

class Snark {
 public:
  Snark() {
    dummy_ = new Node;
    dummy_->left.store(dummy_);
    dummy_->right.store(dummy_);
    left_hat_.store(dummy_);
    right_hat_.store(dummy_);
  }

  void push_back(int v) { push(v, right_hat_, left_hat_, &Node::right, &Node::left); }
  void push_front(int v) { push(v, left_hat_, right_hat_, &Node::left, &Node::right); }
  std::optional<int> pop_back() { return pop(right_hat_, left_hat_, &Node::right, &Node::left); }
  std::optional<int> pop_front() { return pop(left_hat_, right_hat_, &Node::left, &Node::right); }

 private:
  struct Node {
    std::atomic<int> value{0};
    std::atomic<Node*> left{nullptr};
    std::atomic<Node*> right{nullptr};
  };
  using Link = std::atomic<Node*> Node::*;

  // `hat` and `outward` are this end's, `other` and `inward` the other's.
  void push(int v, std::atomic<Node*>& hat, std::atomic<Node*>& other, Link outward, Link inward) {
    Node* node = new Node;
    node->value.store(v);
    (node->*outward).store(dummy_);
    while (true) {
      Node* end = hat.load();
      Node* beyond = (end->*outward).load();
      if (beyond == end) {
        (node->*inward).store(dummy_);
        Node* far = other.load();
        if (dcas(hat, other, end, far, node, node)) return;
      } else {
        (node->*inward).store(end);
        if (dcas(hat, end->*outward, end, beyond, node, node)) return;
      }
    }
  }

  std::optional<int> pop(std::atomic<Node*>& hat, std::atomic<Node*>& other, Link outward, Link inward) {
    while (true) {
      Node* end = hat.load();
      Node* far = other.load();
      if ((end->*outward).load() == end) {
#ifdef CORRECT
        if (hat.load() != end) continue;
#endif
        return std::nullopt;
      }
      if (end == far) {
        if (!dcas(hat, other, end, far, dummy_, dummy_)) continue;
#ifdef CORRECT
        if (const int v = end->value.exchange(0); v != 0) return v;
        continue;
#else
        return end->value.load();
#endif
      }
      Node* next = (end->*inward).load();
      if (!dcas(hat, end->*inward, end, next, next, end)) continue;
#ifdef CORRECT
      const int v = end->value.exchange(0);
      (end->*outward).store(dummy_);
      if (v != 0) return v;
#else
      const int v = end->value.load();
      (end->*outward).store(dummy_);
      end->value.store(0);
      return v;
#endif
    }
  }

  bool dcas(std::atomic<Node*>& a, std::atomic<Node*>& b, Node* old_a, Node* old_b, Node* new_a,
            Node* new_b) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const heddle::AtomicScope one_step;
    if (a.load() != old_a || b.load() != old_b) return false;
    a.store(new_a);
    b.store(new_b);
    return true;
  }

  Node* dummy_;
  std::atomic<Node*> left_hat_;
  std::atomic<Node*> right_hat_;
  std::mutex mutex_;
};

HEDDLE_LIN_TEST(Snark, heddle::lin::DequeSpec) {
  test.clients(2, 3);
  test.operation("push_front", [](Snark& d, int v) { d.push_front(v); }, heddle::lin::fresh());
  test.operation("push_back", [](Snark& d, int v) { d.push_back(v); }, heddle::lin::fresh());
  test.operation("pop_front", [](Snark& d) { return d.pop_front(); });
  test.operation("pop_back", [](Snark& d) { return d.pop_back(); });
}
