// A walk over a tree that nobody has in memory, by threads that take subtrees from their own end of their own
// list and, when that is empty, steal from the other end of somebody else's.
#include <atomic>
#include <deque>
#include <mutex>

#include "common.h"

struct Node {
  std::uint64_t seed;
  unsigned depth;
};

class WorkList {
 public:
  void push(const Node& node) {
    const std::scoped_lock guard(lock_);
    nodes_.push_back(node);
  }
  bool pop(Node& node) {
    const std::scoped_lock guard(lock_);
    if (nodes_.empty()) return false;
    node = nodes_.back();
    nodes_.pop_back();
    return true;
  }
  bool steal(Node& node) {
    const std::scoped_lock guard(lock_);
    if (nodes_.empty()) return false;
    node = nodes_.front();
    nodes_.pop_front();
    ++stolen_;
    return true;
  }

 private:
  std::mutex lock_;
  std::deque<Node> nodes_;
  std::uint64_t stolen_ = 0;
};

constexpr unsigned kThreads = 2;
WorkList lists[kThreads];
std::atomic<std::int64_t> open_nodes{0};
std::atomic<std::uint64_t> best{0};

// What a node is worth.
static std::uint64_t evaluate(std::uint64_t seed) {
  std::uint64_t h = seed;
  for (int i = 0; i < 150; ++i) h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15ull + static_cast<unsigned>(i);
  return h;
}

static std::uint64_t visit(const Node& node, WorkList& own) {
  const std::uint64_t worth = evaluate(node.seed);
  if (node.depth != 0) {
    const unsigned children = 1 + worth % 3;
    open_nodes.fetch_add(children);
    for (unsigned i = 0; i < children; ++i) own.push({worth + i + 1, node.depth - 1});
  }
  for (std::uint64_t seen = best.load(); worth > seen && !best.compare_exchange_weak(seen, worth);) {
  }
  open_nodes.fetch_sub(1);
  return worth;
}

int main(int argc, char** argv) {
  const auto depth = static_cast<unsigned>(rounds_of(argc, argv, 21));
  std::uint64_t sums[kThreads] = {};
  open_nodes = 1;
  lists[0].push({1, depth});
  in_threads(kThreads, [&](unsigned id) {
    std::uint64_t sum = 0;
    while (open_nodes.load() != 0) {
      Node node;
      if (lists[id].pop(node) || lists[(id + 1) % kThreads].steal(node))
        sum += visit(node, lists[id]);
      else
        std::this_thread::yield();
    }
    sums[id] = sum;
  });
  std::printf("%llu %llu\n", static_cast<unsigned long long>(sums[0] + sums[1]),
              static_cast<unsigned long long>(best.load()));
}
