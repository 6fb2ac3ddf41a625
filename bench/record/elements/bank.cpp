// Transfers between accounts, two locks at a time; each is priced by some arithmetic first.
#include <mutex>

#include "common.h"

struct Account {
  std::mutex lock;
  long balance = 1000;
  long transfers = 0;
};
constexpr unsigned kAccounts = 64;
Account accounts[kAccounts];

// What a transfer costs its owner: rounds of a checksum over its fields.
static std::uint64_t price(std::uint64_t seed) {
  std::uint64_t h = seed;
  for (int i = 0; i < 120; ++i) h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15ull + static_cast<unsigned>(i);
  return h;
}

int main(int argc, char** argv) {
  const std::uint64_t rounds = rounds_of(argc, argv, 2'500'000);
  in_threads(2, [rounds](unsigned id) {
    Generator g{id + 1};
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const std::uint64_t priced = price(g.next());
      Account& from = accounts[priced % kAccounts];
      Account& to = accounts[(priced >> 20) % kAccounts];
      if (&from == &to) continue;
      std::scoped_lock both(from.lock, to.lock);
      from.balance -= static_cast<long>(priced % 10);
      to.balance += static_cast<long>(priced % 10);
      ++from.transfers;
    }
  });
  long sum = 0;
  for (const Account& a : accounts) sum += a.balance;
  std::printf("%ld\n", sum);
  return sum == 1000 * static_cast<long>(kAccounts) ? 0 : 1;
}
