// executions: 100
// Streams of libc and of C++ between threads, over a pipe and a pair of sockets: they read and write inside
// libc.
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

void lines_over_pipe() {
  int ends[2];
  assert(pipe(ends) == 0);
  int shared = 0;
  std::thread reader([&] {
    FILE* in = fdopen(ends[0], "r");
    char line[64];
    int count = 0;
    while (fgets(line, sizeof line, in) != nullptr) {
      assert(std::atoi(line) == count);
      if (++count == 1) assert(shared == 7);  // ordered by what came through the pipe
    }
    assert(count == 3);
    fclose(in);
  });
  FILE* out = fdopen(ends[1], "w");
  shared = 7;
  for (int i = 0; i < 3; ++i) {
    std::fprintf(out, "%d\n", i);
    std::fflush(out);
  }
  std::fclose(out);
  reader.join();
}

// More than the pipe holds: the writer waits inside fwrite.
void more_than_the_pipe_holds() {
  int ends[2];
  assert(pipe(ends) == 0);
  constexpr std::size_t kBytes = 100'000;
  std::thread writer([&] {
    FILE* out = fdopen(ends[1], "w");
    static char block[1000];
    for (std::size_t i = 0; i < kBytes / sizeof block; ++i)
      assert(std::fwrite(block, 1, sizeof block, out) == sizeof block);
    std::fclose(out);
  });
  FILE* in = fdopen(ends[0], "r");
  std::size_t count = 0;
  while (std::getc(in) != EOF) ++count;
  assert(count == kBytes);
  std::fclose(in);
  writer.join();
}

// One stream that two threads use: who comes second waits for the lock inside libc.
void one_stream_of_two() {
  int ends[2];
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  FILE* in = fdopen(ends[0], "r");
  char lines[2][16] = {};
  std::thread first([&] { assert(std::fgets(lines[0], sizeof lines[0], in) != nullptr); });
  std::thread second([&] { assert(std::fgets(lines[1], sizeof lines[1], in) != nullptr); });
  FILE* out = fdopen(ends[1], "w");
  std::fputs("one\ntwo\n", out);
  std::fclose(out);
  first.join();
  second.join();
  assert(std::strcmp(lines[0], lines[1]) != 0);
  std::fclose(in);
}

}  // namespace

int main() {
  lines_over_pipe();
  more_than_the_pipe_holds();
  one_stream_of_two();
}
