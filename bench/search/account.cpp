// Account: a transfer locks the account that it takes from, and not the one that it gives to.
// Another bug than in bench/deep, where an account is read and written in two critical sections.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kAccounts = 4, kTransfers = 8, kStart = 100;

struct Account {
  std::mutex lock;
  std::atomic<int> balance{kStart};
};
Account accounts[kAccounts];

void transfer(Account& from, Account& to, int amount) {
  const std::lock_guard<std::mutex> guard(from.lock);
  from.balance.store(from.balance.load() - amount);
  to.balance.store(to.balance.load() + amount);
}

void teller(int own) {
  for (int i = 0; i < kTransfers; ++i) transfer(accounts[own], accounts[(own + 1) % kAccounts], 1 + i);
}

}  // namespace

int main() {
  std::vector<std::thread> tellers;
  for (int i = 0; i < kAccounts; ++i) tellers.emplace_back(teller, i);
  for (std::thread& t : tellers) t.join();
  int total = 0;
  for (Account& a : accounts) total += a.balance.load();
  assert(total == kAccounts * kStart);
  return 0;
}
