#pragma once
struct Counter {
  long value = 0;
  void add(long n);
};
long global_count();
