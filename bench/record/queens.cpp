// All solutions of the eight queens' problem on a larger board, by recursion: calls and returns.
#include <cstdio>
#include <cstdlib>
#include <thread>

struct Board {
  int n;
  unsigned columns = 0, up = 0, down = 0;
};

__attribute__((noinline)) static long place(Board& b, int row) {
  if (row == b.n) return 1;
  long found = 0;
  for (int c = 0; c < b.n; ++c) {
    const unsigned column = 1u << c, up = 1u << (row + c), down = 1u << (row - c + b.n);
    if ((b.columns & column) != 0 || (b.up & up) != 0 || (b.down & down) != 0) continue;
    b.columns |= column;
    b.up |= up;
    b.down |= down;
    found += place(b, row + 1);
    b.columns &= ~column;
    b.up &= ~up;
    b.down &= ~down;
  }
  return found;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 14;
  long a = 0, b = 0;
  std::thread first([&] {
    Board board{n};
    a = place(board, 0);
  });
  std::thread second([&] {
    Board board{n - 1};
    b = place(board, 0);
  });
  first.join();
  second.join();
  std::printf("%ld %ld\n", a, b);
}
