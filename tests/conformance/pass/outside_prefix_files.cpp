// executions: 20
// A file that is opened for reading before the first thread is read by every execution from where it
// stood.
#include <fcntl.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <thread>

int main(int, char** argv) {
  FILE* stream = std::fopen(argv[0], "r");
  const int file = open(argv[0], O_RDONLY);
  assert(file >= 0 && stream != nullptr);
  char magic[4];
  assert(read(file, magic, 1) == 1 && magic[0] == 0x7f);
  std::thread thread([&] { assert(read(file, magic, 3) == 3 && std::memcmp(magic, "ELF", 3) == 0); });
  thread.join();
  assert(std::fgetc(stream) == 0x7f);
}
