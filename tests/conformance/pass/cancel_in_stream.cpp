// executions: 100
// skip: libc++ libc++abi 19 does not know the exception by which glibc cancels (it crashes natively, too)
// A thread is cancelled inside libc, where it reads from a stream: frames are unwound, and the stream is
// unlocked.
#include <pthread.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>

namespace {

int ends[2];
FILE* in;
int cleaned = 0;

struct Cleaner {
  ~Cleaner() { ++cleaned; }
};

void* read_line(void*) {
  const Cleaner cleaner;
  char* line = nullptr;
  std::size_t bytes = 0;
  // (Of fgets clang believes that it never unwinds.)
  assert(getline(&line, &bytes, in) < 0);
  assert(!"not reached: nobody writes");
  return nullptr;
}

void* read_one(void*) { return reinterpret_cast<void*>(static_cast<long>(std::getc(in))); }

}  // namespace

int main() {
  assert(pipe(ends) == 0);
  in = fdopen(ends[0], "r");
  pthread_t thread;
  void* result = nullptr;
  assert(pthread_create(&thread, nullptr, read_line, nullptr) == 0);
  assert(pthread_cancel(thread) == 0);
  assert(pthread_join(thread, &result) == 0);
  assert(result == PTHREAD_CANCELED && cleaned == 1);
  // Somebody else can use the stream.
  assert(pthread_create(&thread, nullptr, read_one, nullptr) == 0);
  assert(write(ends[1], "x", 1) == 1);
  assert(pthread_join(thread, &result) == 0);
  assert(result == reinterpret_cast<void*>(static_cast<long>('x')));
  std::fclose(in);
}
