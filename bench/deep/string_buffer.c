// The StringBuffer of JDK 1.4 (SCTBench's stringbuffer-jdk1.4): append() asks the other buffer for its length
// and then for so many characters, each under its lock. Bug: the other one is cut between the two.
// bench/cause and bench/search have it in C++ after the thesis, in other sizes.
#include <string.h>
#include "common.h"

typedef struct {
  Mutex mutex;
  int length;
  char text[16];
} Buffer;

static Buffer one = {MUTEX, 3, "abc"}, two = {MUTEX, 3, "def"};

static int length_of(Buffer* b) {
  lock(&b->mutex);
  const int length = b->length;
  unlock(&b->mutex);
  return length;
}

static void copy_from(Buffer* b, int count, char* to) {
  lock(&b->mutex);
  assert(count <= b->length);
  memcpy(to, b->text, (size_t)count);
  unlock(&b->mutex);
}

static void* append(void* nothing) {
  lock(&one.mutex);
#ifdef CORRECT
  lock(&two.mutex);
  memcpy(one.text + one.length, two.text, (size_t)two.length);
  one.length += two.length;
  unlock(&two.mutex);
#else
  const int count = length_of(&two);
  copy_from(&two, count, one.text + one.length);
  one.length += count;
#endif
  unlock(&one.mutex);
  return nothing;
}

static void* cut(void* nothing) {
  lock(&two.mutex);
  two.length = 0;
  unlock(&two.mutex);
  return nothing;
}

int main(void) {
  RUN({append, 1}, {cut, 1});
  return 0;
}
