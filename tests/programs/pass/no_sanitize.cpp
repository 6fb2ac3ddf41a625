// What is marked as not to be looked at is not looked at.
#include <thread>

int statistics;

__attribute__((no_sanitize("thread"))) void count() { ++statistics; }

int main() {
  std::thread other(count);
  count();
  other.join();
}
