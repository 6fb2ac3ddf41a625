// executions: 150
// A producer and a consumer over a pipe: calls that would block let the other run, data read happens after
// the write, and a write that is larger than the pipe is completed.
#include <unistd.h>

#include <cassert>
#include <thread>
#include <vector>

int payload = 0;

int main() {
  int ends[2];
  assert(pipe(ends) == 0);
  std::thread producer([&] {
    payload = 7;
    for (int i = 0; i < 3; ++i) assert(write(ends[1], &i, sizeof i) == sizeof i);
    const std::vector<char> large(200'000, 'x');
    assert(write(ends[1], large.data(), large.size()) == static_cast<ssize_t>(large.size()));
    assert(close(ends[1]) == 0);
  });
  for (int i = 0; i < 3; ++i) {
    int value = -1;
    assert(read(ends[0], &value, sizeof value) == sizeof value);
    assert(value == i && payload == 7);
  }
  std::size_t total = 0;
  std::vector<char> buffer(30'000);
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;)
    total += static_cast<std::size_t>(got);
  assert(total == 200'000);
  producer.join();
}
