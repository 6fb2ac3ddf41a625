// flags: -D_GNU_SOURCE
// case: by_malloc => data race: Previous write (allocation by malloc) of size 48
// case: by_calloc => data race: Previous write (allocation by calloc)
// case: by_realloc_in_place => data race: Previous write (allocation by realloc)
// case: by_reallocarray => data race: Previous write (allocation by realloc)
// case: by_posix_memalign => data race: Previous write (allocation by posix_memalign)
// case: by_mmap => data race: Previous write (allocation by mmap)
// case: by_strdup => data race: two accesses
// case: by_calloc_of_much => data race: Previous write (allocation by calloc)
// case: loaded_atomically => data race: Previous write (allocation by calloc)
// case: ordered
// case: handed_on
// case: mapped_anew
// case: cut_off => heap use after free: Freed by
// case: freed_unordered => data race: free of memory that another thread accesses
// A block is written by who allocates it, all of it: who gets its address by a relaxed store races with that.
// A free comes before the allocation that hands the memory out again ([new.delete.dataraces]).
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "cases.h"

enum { kMuch = 200 << 20 };

static _Atomic(char*) published;
static char* (*make)(void);
static memory_order given, taken;
static size_t where;

static void* give(void* unused) {
  atomic_store_explicit(&published, make(), given);
  return unused;
}

static void* take(void* unused) {
  char* block = atomic_load_explicit(&published, taken);
  if (block != NULL) block[where] = 1;
  return unused;
}

static void hand_over(char* (*maker)(void), memory_order store, memory_order load) {
  make = maker;
  given = store;
  taken = load;
  atomic_store(&published, NULL);
  pthread_t giver = start(give, NULL), taker = start(take, NULL);
  join(giver);
  join(taker);
}

static char* from_malloc(void) { return malloc(48); }
static char* from_calloc(void) { return calloc(3, 16); }
static char* from_realloc(void) { return realloc(malloc(100), 110); }
static char* from_reallocarray(void) { return reallocarray(NULL, 3, 16); }
static char* from_strdup(void) { return strdup("twelve bytes"); }
static char* from_much(void) { return calloc(1, kMuch); }
// (At a place of the program's choice: the kernel's differs from run to run.)
static char* from_mmap(void) {
  return mmap((void*)0x530000000000, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static char* from_posix_memalign(void) {
  void* block = NULL;
  assert(posix_memalign(&block, 64, 48) == 0);
  return block;
}

static void relaxed(char* (*maker)(void)) { hand_over(maker, memory_order_relaxed, memory_order_relaxed); }
static void by_malloc(void) { relaxed(from_malloc); }
static void by_calloc(void) { relaxed(from_calloc); }
static void by_realloc_in_place(void) { relaxed(from_realloc); }
static void by_reallocarray(void) { relaxed(from_reallocarray); }
static void by_posix_memalign(void) { relaxed(from_posix_memalign); }
static void by_mmap(void) { relaxed(from_mmap); }
static void by_strdup(void) { relaxed(from_strdup); }
static void by_calloc_of_much(void) {
  where = kMuch / 2;
  relaxed(from_much);
}

static void ordered(void) {
  char* (*const makers[])(void) = {from_malloc, from_calloc, from_realloc,       from_reallocarray,
                                   from_strdup, from_mmap,   from_posix_memalign};
  for (unsigned i = 0; i < sizeof makers / sizeof *makers; ++i)
    hand_over(makers[i], memory_order_release, memory_order_acquire);
  where = kMuch / 2;
  hand_over(from_much, memory_order_release, memory_order_acquire);
}

static void* load_atomically(void* unused) {
  char* block = atomic_load_explicit(&published, memory_order_relaxed);
  if (block != NULL) assert(atomic_load_explicit((atomic_long*)block, memory_order_relaxed) == 0);
  return unused;
}

static void loaded_atomically(void) {
  pthread_t taker = start(load_atomically, NULL);
  atomic_store_explicit(&published, calloc(1, 8), memory_order_relaxed);
  join(taker);
}

static void* use_and_free(void* block) {
  memset(block, 1, 64);
  free(block);
  char* next = malloc(64);
  next[0] = 2;
  free(next);
  return NULL;
}

// Each thread frees what the other has allocated, and gets the memory again.
static void handed_on(void) {
  char *first = malloc(64), *second = malloc(64);
  pthread_t one = start(use_and_free, first), other = start(use_and_free, second);
  use_and_free(malloc(64));
  join(one);
  join(other);
  for (int i = 0; i < 3; ++i) use_and_free(malloc(64));
}

static void* map_and_unmap(void* unused) {
  for (int i = 0; i < 3; ++i) {
    char* pages = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages[i] = 1;
    pages = mremap(pages, 1 << 16, 1 << 17, MREMAP_MAYMOVE);
    pages[(1 << 16) + i] = pages[i];
    sched_yield();
    assert(munmap(pages, 1 << 17) == 0);
  }
  return unused;
}

static void mapped_anew(void) {
  pthread_t one = start(map_and_unmap, NULL), other = start(map_and_unmap, NULL);
  join(one);
  join(other);
}

static void* keep_looking(void* block) {
  ((volatile char*)block)[0] = 1;
  return ((char*)block)[96] == 0 ? NULL : block;
}

static void cut_off(void) {
  char* block = calloc(1, 112);
  char* volatile before = block;  // which compilers would warn of
  char* shorter = realloc(block, 64);
  assert(shorter == before);
  join(start(keep_looking, before));
}

static void* read_it(void* block) {
  atomic_store_explicit(&published, ((char*)block)[5] == 0 ? block : NULL, memory_order_relaxed);
  return NULL;
}

static void freed_unordered(void) {
  char* block = calloc(1, 16);
  pthread_t reader = start(read_it, block);
  if (atomic_load_explicit(&published, memory_order_relaxed) != NULL) free(block);
  join(reader);
}

RUN_CASES({"by_malloc", by_malloc}, {"by_calloc", by_calloc}, {"by_realloc_in_place", by_realloc_in_place},
          {"by_reallocarray", by_reallocarray}, {"by_posix_memalign", by_posix_memalign},
          {"by_mmap", by_mmap}, {"by_strdup", by_strdup}, {"by_calloc_of_much", by_calloc_of_much},
          {"loaded_atomically", loaded_atomically}, {"ordered", ordered}, {"handed_on", handed_on},
          {"mapped_anew", mapped_anew}, {"cut_off", cut_off}, {"freed_unordered", freed_unordered})
