// header: ck_pr.h
// flags: -DCK_USE_CC_BUILTINS=1 -D_GNU_SOURCE -Wno-error
// run: --volatile acqrel
// case: spinlocks
// case: ring
// case: mcs => data race: ck_pr_md_load_ptr
// case: stack => data race: ck_pr_md_load_ptr
// Concurrency Kit, its header-only parts. By default its atomics are inline assembly, which nobody can see
// into; with CK_USE_CC_BUILTINS they are the compiler's, and volatile accesses. Its load of a pointer is then
// a plain read (gcc/ck_pr.h casts to a pointer to volatile instead of a volatile pointer), which races.
#include <ck_ring.h>
#include <ck_spinlock.h>
#include <ck_stack.h>
#include <stdlib.h>

#include "../conformance/cases.h"

static int counter;

static ck_spinlock_t spinlock = CK_SPINLOCK_INITIALIZER;
static ck_spinlock_ticket_t ticket = CK_SPINLOCK_TICKET_INITIALIZER;
static ck_spinlock_mcs_t mcs = NULL;

static void* lock_each(void* unused) {
  ck_spinlock_lock(&spinlock);
  ++counter;
  ck_spinlock_unlock(&spinlock);
  ck_spinlock_ticket_lock(&ticket);
  ck_spinlock_ticket_unlock(&ticket);
  return unused;
}

static void spinlocks(void) {
  pthread_t other = start(lock_each, NULL);
  lock_each(NULL);
  join(other);
  assert(counter == 2);
}

static void* lock_mcs(void* unused) {
  ck_spinlock_mcs_context_t node;
  ck_spinlock_mcs_lock(&mcs, &node);
  ++counter;
  ck_spinlock_mcs_unlock(&mcs, &node);
  return unused;
}

static void test_mcs(void) {
  pthread_t other = start(lock_mcs, NULL);
  lock_mcs(NULL);
  join(other);
}

static ck_ring_t queue;
static ck_ring_buffer_t buffer[4];
static int items[2];

static void* produce(void* unused) {
  for (int i = 0; i < 2; ++i) {
    items[i] = i + 1;
    while (!ck_ring_enqueue_spsc(&queue, buffer, &items[i])) {
    }
  }
  return unused;
}

static void ring(void) {
  ck_ring_init(&queue, 4);
  pthread_t producer = start(produce, NULL);
  for (int i = 0; i < 2; ++i) {
    void* item = NULL;
    while (!ck_ring_dequeue_spsc(&queue, buffer, &item)) {
    }
    assert(*(int*)item == i + 1);
  }
  join(producer);
}

static ck_stack_t shared_stack = CK_STACK_INITIALIZER;
struct Entry {
  ck_stack_entry_t entry;
  int value;
};
static struct Entry entries[2];

static void* push(void* which) {
  struct Entry* entry = which;
  entry->value = 7;
  ck_stack_push_upmc(&shared_stack, &entry->entry);
  return NULL;
}

static void stack(void) {
  pthread_t other = start(push, &entries[0]);
  push(&entries[1]);
  int popped = 0;
  while (popped < 2) {
    ck_stack_entry_t* top = ck_stack_batch_pop_upmc(&shared_stack);
    for (; top != NULL; top = top->next, ++popped) assert(((struct Entry*)top)->value == 7);
  }
  join(other);
}

RUN_CASES({"spinlocks", spinlocks}, {"ring", ring}, {"mcs", test_mcs}, {"stack", stack})
