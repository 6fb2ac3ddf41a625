// expect: data race
// message: Location is global 'buffer' of size 200
// message: here buffer[100]
// message: std::thread::_M_start_thread
// message: in fill(char)
// Two threads copy into one buffer; neither touches it but through libc.
#include <cstring>
#include <thread>

char buffer[200];
const char source[200] = {};
volatile std::size_t half = 100;

void fill(char c) {
  const std::size_t n = half;
  if (c == 'a') {
    std::memset(buffer, c, n + 1);
  } else {
    std::memcpy(buffer + n, source, n);
  }
}

int main() {
  std::thread other(fill, 'a');
  fill('b');
  other.join();
}
