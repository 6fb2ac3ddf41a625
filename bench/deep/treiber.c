// Treiber's stack (1986) with nodes that are used again. Bug: between a pop's look at the top and its
// compare-exchange the top goes and comes back with another one below (ABA), and a node that is in use is on
// the stack. The twin counts in the pointer.
// bench/lin/treiber_stack.cpp is a test of the object, with other bugs as well.
#include "common.h"

enum { kNodes = 3, kEmpty = kNodes, kTag = 16 };

static atomic_int top, next[kNodes], used[kNodes];

static int node_of(int t) { return t % kTag; }
static int with_node(int t, int node) { return BUG_OR(node, (t / kTag + 1) * kTag + node); }

static int pop(void) {
  int t = top;
  for (;;) {
    if (node_of(t) == kEmpty) return kEmpty;
    const int below = next[node_of(t)];
    if (atomic_compare_exchange_strong(&top, &t, with_node(t, below))) return node_of(t);
  }
}

static void push(int node) {
  int t = top;
  do next[node] = node_of(t);
  while (!atomic_compare_exchange_strong(&top, &t, with_node(t, node)));
}

static void begin_use(int node) { assert(used[node]++ == 0); }

static void* one_item(void* nothing) {
  const int node = pop();
  if (node != kEmpty) {
    begin_use(node);
    used[node]--;
    push(node);
  }
  return nothing;
}

static void* two_items(void* nothing) {
  const int first = pop();
  if (first == kEmpty) return nothing;
  begin_use(first);
  const int second = pop();
  if (second != kEmpty) begin_use(second);
  used[first]--;
  push(first);
  const int third = pop();
  if (third != kEmpty) begin_use(third);
  const int fourth = pop();
  if (fourth != kEmpty) begin_use(fourth);
  return nothing;
}

int main(void) {
  for (int i = 0; i < kNodes; ++i) atomic_init(&next[i], i + 1);
  RUN({one_item, 1}, {two_items, 1});
  return 0;
}
