// Loops over plain memory, compiled with -fsanitize=thread, for the cost of plain accesses.
#pragma once

#include <cstddef>
#include <cstdint>

struct Particle {
  double position[3];
  float velocity[3];
  std::int32_t kind;
  std::int16_t charge;
  char tag[6];
};

void add_to_each(int* array, std::size_t count, int k);
void add_to_each_byte(unsigned char* array, std::size_t count, int k);
void add_to_each_long(long* array, std::size_t count, long k);
long sum(const int* array, std::size_t count);
void copy_fields(Particle* to, const Particle* from, std::size_t count);
void copy_structs(Particle* to, const Particle* from, std::size_t count);
void chase(std::uint32_t* next, std::size_t steps);
void fill(void* block, int value, std::size_t size);
void copy(void* to, const void* from, std::size_t size);
