// A bank account (SCTBench, from "CS"): deposit and withdrawal look up the balance under the lock and put the
// new one back under it, with nothing that keeps the other out between. Bug: one of the two is lost.
// Another bug than in bench/search, where one of two accounts is not locked.
#include "common.h"

static Mutex account = MUTEX;
static int balance = 100;

static void change_by(int amount) {
  lock(&account);
  const int before = balance;
  BUG_OR(unlock(&account), (void)0);
  BUG_OR(lock(&account), (void)0);
  balance = before + amount;
  unlock(&account);
}

static void* deposit(void* nothing) {
  change_by(30);
  return nothing;
}

static void* withdraw(void* nothing) {
  change_by(-20);
  return nothing;
}

int main(void) {
  RUN({deposit, 1}, {withdraw, 1});
  assert(balance == 110);
  return 0;
}
