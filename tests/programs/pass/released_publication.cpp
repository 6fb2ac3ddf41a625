// Nodes are given away by a release store, allocated in all the ways of the standard library.
#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

struct Node {
  int value;
};
struct alignas(64) Wide {
  int value;
};

template <typename T>
void hand_over(T* made) {
  std::atomic<T*> published{nullptr};
  std::thread reader([&] {
    if (T* node = published.load(std::memory_order_acquire)) node->value = 2;
  });
  published.store(made, std::memory_order_release);
  reader.join();
}

int main() {
  const std::unique_ptr<Node> node(new Node);
  hand_over(node.get());
  const std::unique_ptr<Wide> wide(new (std::nothrow) Wide);
  hand_over(wide.get());
  std::vector<Node> nodes(100);
  hand_over(&nodes[99]);
  std::string text(200, 'a');
  std::thread([&] { text += text; }).join();
  try {
    void* much = ::operator new(std::size_t{1} << 60);
    ::operator delete(much);
    return 1;
  } catch (const std::bad_alloc&) {
  }
  return text.size() == 400 && ::operator new(std::size_t{1} << 60, std::nothrow) == nullptr ? 0 : 1;
}
