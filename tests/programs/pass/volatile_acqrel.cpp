// run: --volatile acqrel
// outcomes: 0, 42
// With --volatile acqrel a volatile flag hands data over, as some compilers promise.
#include <heddle/heddle.h>

#include <thread>

int data;
volatile bool ready;

int main() {
  std::thread producer([] {
    data = 42;
    ready = true;
  });
  const bool seen = ready;
  heddle_outcome(seen && data == 42 ? "42" : "0");
  producer.join();
}
