#include "shared.h"
static int calls;
int add(int a, int b) {
  ++calls;
  return a + b;
}
