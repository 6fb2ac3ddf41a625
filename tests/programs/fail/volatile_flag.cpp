// expect: data race
// message: volatile read
// A volatile flag orders nothing: the data that it announces is raced for.
#include <thread>

int data;
volatile bool ready;

int main() {
  std::thread producer([] {
    data = 42;
    ready = true;
  });
  while (!ready) std::this_thread::yield();
  const int seen = data;
  producer.join();
  return seen - 42;
}
