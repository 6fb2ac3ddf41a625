// expect: deadlock
// message: whose other end only this program holds
// Both threads wait inside fgets for a line that nobody writes.
#include <unistd.h>

#include <cstdio>
#include <thread>

int main() {
  int ends[2][2];
  if (pipe(ends[0]) != 0 || pipe(ends[1]) != 0) return 1;
  const auto copy_line = [&](int from, int to) {
    FILE* in = fdopen(ends[from][0], "r");
    char line[16];
    if (std::fgets(line, sizeof line, in) != nullptr && write(ends[to][1], line, 1) != 1)
      std::perror("write");
  };
  std::thread other(copy_line, 0, 1);
  copy_line(1, 0);
  other.join();
}
