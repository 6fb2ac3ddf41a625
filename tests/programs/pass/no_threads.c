// A program with one thread and no choice at all.
#include <stdio.h>

int main(void) {
  puts("nothing to explore");
  return 0;
}
