// Rows of a grid, dealt out by an atomic counter; a barrier between generations.
#include <pthread.h>

#include <atomic>

#include "common.h"

constexpr int kSize = 1024;
unsigned char grids[2][kSize][kSize];
std::atomic<int> next_row{0};
pthread_barrier_t barrier;
long alive = 0;
pthread_mutex_t alive_lock = PTHREAD_MUTEX_INITIALIZER;

// A row is computed in locals and copied out.
static long step_row(const unsigned char (&from)[kSize][kSize], unsigned char (&to)[kSize][kSize], int row) {
  unsigned char rows[3][kSize];
  for (int i = 0; i < 3; ++i) __builtin_memcpy(rows[i], from[(row + i - 1 + kSize) % kSize], kSize);
  unsigned char out[kSize];
  long count = 0;
  for (int c = 0; c < kSize; ++c) {
    const int l = (c + kSize - 1) % kSize;
    const int r = (c + 1) % kSize;
    const int n =
        rows[0][l] + rows[0][c] + rows[0][r] + rows[1][l] + rows[1][r] + rows[2][l] + rows[2][c] + rows[2][r];
    out[c] = n == 3 || (n == 2 && rows[1][c] != 0);
    count += out[c];
  }
  __builtin_memcpy(to[row], out, kSize);
  return count;
}

int main(int argc, char** argv) {
  const std::uint64_t rounds = rounds_of(argc, argv, 700);
  Generator g{3};
  for (auto& row : grids[0])
    for (unsigned char& cell : row) cell = g.next() % 3 == 0;
  pthread_barrier_init(&barrier, nullptr, 2);
  in_threads(2, [rounds](unsigned id) {
    for (std::uint64_t generation = 0; generation < rounds; ++generation) {
      long count = 0;
      for (int row; (row = next_row.fetch_add(1)) < kSize;)
        count += step_row(grids[generation % 2], grids[(generation + 1) % 2], row);
      pthread_mutex_lock(&alive_lock);
      alive += count;
      pthread_mutex_unlock(&alive_lock);
      pthread_barrier_wait(&barrier);
      if (id == 0) next_row = 0;
      pthread_barrier_wait(&barrier);
    }
  });
  std::printf("%ld\n", alive);
}
