// expect: data race
// Volatile on one side only.
#include <thread>

int counter;

int main() {
  std::thread other([] { *const_cast<volatile int*>(&counter) = 1; });
  counter = 2;
  other.join();
}
