// A table that is replaced as a whole while others read it. A reader says that it is in before it fetches the
// table and that it is out when it is done; the writer frees the old table when everybody has been out. The
// reader says "out" with a relaxed store, which does not come after its last look at the table.
#include <array>
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <vector>

#ifdef FIXED
constexpr std::memory_order kOut = std::memory_order_release;
#else
constexpr std::memory_order kOut = std::memory_order_relaxed;
#endif

namespace {

constexpr int kReaders = 2;

struct Table {
  int version;
  std::array<int, 4> prices;
};

class SharedTable {
 public:
  explicit SharedTable(Table* first) : current_(first) {}
  ~SharedTable() { delete current_.load(); }

  int price(int reader, std::size_t item) {
    inside_[static_cast<std::size_t>(reader)].store(true, std::memory_order_seq_cst);
    const Table* const table = current_.load(std::memory_order_seq_cst);
    const int price = table->prices[item];
    inside_[static_cast<std::size_t>(reader)].store(false, kOut);
    return price;
  }

  void replace(std::unique_ptr<Table> fresh) {
    Table* const old = current_.exchange(fresh.release(), std::memory_order_seq_cst);
    for (const auto& inside : inside_) {
      while (inside.load(std::memory_order_seq_cst)) std::this_thread::yield();
    }
    old->version = -1;
    delete old;
  }

 private:
  std::atomic<Table*> current_;
  std::array<std::atomic<bool>, kReaders> inside_{};
};

}  // namespace

int main() {
  SharedTable table(new Table{1, {10, 11, 12, 13}});
  std::vector<std::thread> readers;
  for (int reader = 0; reader < kReaders; ++reader) {
    readers.emplace_back([&table, reader] {
      const int price = table.price(reader, 2);
      assert(price == 12 || price == 22);
    });
  }
  table.replace(std::make_unique<Table>(Table{2, {20, 21, 22, 23}}));
  for (auto& reader : readers) reader.join();
}
