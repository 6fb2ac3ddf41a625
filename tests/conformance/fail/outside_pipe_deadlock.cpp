// expect: deadlock
// message: read on descriptor 3, whose other end only this program holds
// A read of a pipe that only this program could write to, and nobody is left who would.
#include <unistd.h>

#include <thread>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread reader([&] {
    char byte;
    (void)!read(ends[0], &byte, 1);
  });
  reader.join();
}
