/* Threads map, use and unmap memory, and the kernel gives them the same addresses one after the other: what
   one did there is nothing to the next. */
/* executions: 60 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

struct page {
  int plain;
  atomic_int count;
};

static struct page* map(void* where, int flags) {
  return mmap(where, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static int is_new(struct page* page) {
  int empty = page->plain == 0 && atomic_load_explicit(&page->count, memory_order_relaxed) == 0;
  page->plain = 1;
  atomic_store_explicit(&page->count, 1, memory_order_relaxed);
  return empty;
}

static void* work(void* wrong) {
  for (int i = 0; i < 3; ++i) {
    struct page* page = map(NULL, 0);
    if (!is_new(page)) return wrong;
    if (!is_new(map(page, MAP_FIXED))) return wrong;
    munmap(page, 4096);
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  void* wrong = NULL;
  int anything = 0;
  pthread_create(&thread, NULL, work, &anything);
  void* wrong_here = work(&anything);
  pthread_join(thread, &wrong);
  return wrong != NULL || wrong_here != NULL;
}
