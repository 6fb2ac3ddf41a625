// skip: libc++ libc++ 19 has no std::atomic<std::shared_ptr>
// Control blocks of shared_ptr and weak_ptr, enable_shared_from_this, and pointers exchanged atomically.
#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>

struct Node : std::enable_shared_from_this<Node> {
  explicit Node(int v) : value(v), text(30, 'x') {}
  int value;
  std::string text;
};

int main() {
  auto node = std::make_shared<Node>(1);
  std::weak_ptr<Node> weak = node;
  std::atomic<std::shared_ptr<Node>> current = node;
  std::thread reader([weak, &current] {
    if (const auto locked = weak.lock()) assert(locked->shared_from_this()->text.size() == 30);
    const auto seen = current.load();
    assert(seen->value == 1 || seen->value == 2);
  });
  std::thread writer([&current] { current.store(std::make_shared<Node>(2)); });
  node.reset();
  const auto seen = current.load();
  assert(seen->text[29] == 'x');
  reader.join();
  writer.join();
  std::shared_ptr<Node> old = current.exchange(nullptr);
  assert(old->value == 2);
}
