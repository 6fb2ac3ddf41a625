// Manager: atomicity violation, no lock. Threads take and give back parts of a store whose free parts a
// manager counts; counting is a read and a write.
// Another bug than in bench/search, where a block is marked too late.
#include "coop.h"

constexpr int kClients = 8;
constexpr int kRounds = 24;

int free_parts = 1000;
int requests, releases;
int taken[kClients];
int audits;

void client(int number) {
  for (int i = 0; i < kRounds; ++i) {
    requests = requests + 1;
    const int before = free_parts;
    work(20);
    free_parts = before - 1;
    ++taken[number];
    work(3);
    free_parts = free_parts + 1;
    --taken[number];
    releases = releases + 1;
    work(40);
  }
}

void manage() {
  for (int i = 0; i < kRounds; ++i) {
    ++audits;
    work(80);
  }
}

int main() {
  run_threads([] { client(0); }, [] { client(1); }, [] { client(2); }, [] { client(3); }, [] { client(4); },
              [] { client(5); }, [] { client(6); }, [] { client(7); }, manage);
  assert(free_parts == 1000);
}
