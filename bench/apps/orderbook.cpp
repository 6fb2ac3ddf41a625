// An order book after the manner of the GDAX client (C11Tester, Table 1): prices in a concurrent skip list of
// libcds, changed by feeds and read all the while.
//   orderbook [UPDATES]
#include <cds/container/skip_list_map_hp.h>
#include <cds/init.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using Book = cds::container::SkipListMap<cds::gc::HP, int, std::uint64_t>;

void feed(Book& book, unsigned seed, std::uint64_t updates) {
  cds::threading::Manager::attachThread();
  std::uint64_t state = seed;
  for (std::uint64_t i = 0; i < updates; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const int price = static_cast<int>(state >> 33 & 255);
    if ((state >> 60 & 1) != 0) {
      book.insert(price, i);
    } else {
      book.erase(price);
    }
  }
  cds::threading::Manager::detachThread();
}

std::uint64_t watch(Book& book, std::uint64_t looks) {
  cds::threading::Manager::attachThread();
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < looks; ++i) found += book.contains(static_cast<int>(i & 255)) ? 1 : 0;
  cds::threading::Manager::detachThread();
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t updates = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000;
  cds::Initialize();
  {
    cds::gc::HP collector(Book::c_nHazardPtrCount, 8);
    cds::threading::Manager::attachThread();
    Book book;
    std::uint64_t found = 0;
    std::thread reader([&] { found = watch(book, updates); });
    std::vector<std::thread> feeds;
    for (unsigned i = 0; i < 2; ++i)
      feeds.emplace_back([&book, i, updates] { feed(book, i + 1, updates / 2); });
    for (std::thread& thread : feeds) thread.join();
    reader.join();
    int prices = 0;
    for (int price = 0; price < 256; ++price) prices += book.contains(price) ? 1 : 0;
    std::printf("%d prices, seen %llu times\n", prices, static_cast<unsigned long long>(found));
    cds::threading::Manager::detachThread();
  }
  cds::Terminate();
  return 0;
}
