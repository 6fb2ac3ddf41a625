#include "race_loops.h"

#include <cstring>

void add_to_each(int* array, std::size_t count, int k) {
  for (std::size_t i = 0; i < count; ++i) array[i] += k;
}

void add_to_each_byte(unsigned char* array, std::size_t count, int k) {
  for (std::size_t i = 0; i < count; ++i) array[i] = static_cast<unsigned char>(array[i] + k);
}

void add_to_each_long(long* array, std::size_t count, long k) {
  for (std::size_t i = 0; i < count; ++i) array[i] += k;
}

long sum(const int* array, std::size_t count) {
  long total = 0;
  for (std::size_t i = 0; i < count; ++i) total += array[i];
  return total;
}

void copy_fields(Particle* to, const Particle* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int d = 0; d < 3; ++d) {
      to[i].position[d] = from[i].position[d];
      to[i].velocity[d] = from[i].velocity[d];
    }
    to[i].kind = from[i].kind;
    to[i].charge = from[i].charge;
    to[i].tag[0] = from[i].tag[0];
  }
}

void copy_structs(Particle* to, const Particle* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

void chase(std::uint32_t* next, std::size_t steps) {
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::uint32_t after = next[2 * at];
    next[2 * at + 1] += 1;
    at = after;
  }
}

void fill(void* block, int value, std::size_t size) { std::memset(block, value, size); }

void copy(void* to, const void* from, std::size_t size) { std::memcpy(to, from, size); }
