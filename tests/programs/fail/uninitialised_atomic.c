// expect: uninitialised atomic
// message: Location is heap block of size 16
// message: make_node
// A node is made by malloc and published; nobody has given its count a value.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct Node {
  atomic_int count;
  struct Node* next;
};

static struct Node* make_node(void) {
  struct Node* node = malloc(sizeof *node);
  node->next = NULL;
  return node;
}

static void* use(void* argument) {
  struct Node* node = argument;
  atomic_fetch_add(&node->count, 1);
  return NULL;
}

int main(void) {
  struct Node* node = make_node();
  pthread_t thread;
  pthread_create(&thread, NULL, use, node);
  pthread_join(thread, NULL);
  free(node);
  return 0;
}
