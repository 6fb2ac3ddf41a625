// expect: data race
// message: Location is thread-local variable 'mine' of size 16 of main thread, here mine[2]
// One thread's own variable, of which another one has the address.
#include <thread>

thread_local int mine[4];

int main() {
  int* const element = &mine[2];
  std::thread other([element] { *element = 1; });
  *element = 2;
  other.join();
}
