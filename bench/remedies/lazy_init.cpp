// A catalogue that is loaded by the first who asks. The way of all others goes past the lock: it looks at the
// pointer with a relaxed load and may find a catalogue whose entries are not there yet.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#ifdef FIXED
constexpr std::memory_order kFastLook = std::memory_order_acquire;
#else
constexpr std::memory_order kFastLook = std::memory_order_relaxed;
#endif

class Catalogue {
 public:
  Catalogue() {
    for (std::size_t i = 0; i < names_.size(); ++i) names_[i] = static_cast<int>(100 + i);
    complete_ = true;
  }

  int name(std::size_t index) const { return names_[index]; }
  bool complete() const { return complete_; }

 private:
  std::array<int, 3> names_{};
  bool complete_ = false;
};

class Library {
 public:
  ~Library() { delete catalogue_.load(); }

  const Catalogue& catalogue() {
    const Catalogue* known = catalogue_.load(kFastLook);
    if (known != nullptr) return *known;
    std::lock_guard<std::mutex> guard(loading_);
    known = catalogue_.load(std::memory_order_relaxed);
    if (known == nullptr) {
      const Catalogue* const fresh = new Catalogue;
      ++loads_;
      catalogue_.store(fresh, std::memory_order_release);
      known = fresh;
    }
    return *known;
  }

  int loads() const { return loads_; }

 private:
  std::mutex loading_;
  std::atomic<const Catalogue*> catalogue_{nullptr};
  int loads_ = 0;
};

int main() {
  Library library;
  std::vector<std::thread> readers;
  for (std::size_t reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&library, reader] {
      const Catalogue& catalogue = library.catalogue();
      assert(catalogue.complete());
      assert(catalogue.name(reader) == static_cast<int>(100 + reader));
    });
  }
  for (auto& reader : readers) reader.join();
  assert(library.loads() == 1);
}
