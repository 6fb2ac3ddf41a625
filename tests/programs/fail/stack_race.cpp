// expect: data race
// message: Location is stack of main thread: variable 'totals' of size 12, here totals.sum, declared at
// message: #0 count_all()
// A local variable of one thread that another one writes.
#include <thread>

struct Totals {
  int numbers[2];
  int sum;
};

__attribute__((noinline)) void add(Totals* totals, int n) { totals->sum += n; }

__attribute__((noinline)) int count_all() {
  Totals totals{};
  std::thread other(add, &totals, 2);
  add(&totals, 3);
  other.join();
  return totals.sum;
}

int main() { return count_all() == 5 ? 0 : 1; }
