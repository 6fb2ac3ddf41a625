// expect: lost wake-up
// message: GCC bug 104928
// executions: 2000
// The program is right, libstdc++ 12 is not: a thread that could not take the token it saw goes to sleep on
// the value that it saw, and that value is back before it sleeps.
#include <semaphore>
#include <thread>

int main() {
  std::counting_semaphore<4> tokens(1);
  const auto use = [&] {
    tokens.acquire();
    tokens.release();
  };
  std::thread first(use), second(use), third(use);
  first.join();
  second.join();
  third.join();
  return 0;
}
