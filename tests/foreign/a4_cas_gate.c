/* A compare-and-swap gate around a small statistics block. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { GATE_FREE = 0, GATE_TAKEN = 1 };

struct stats {
    atomic_int gate;
    int samples;
    int sum;
    int max;
};

static struct stats st = { .gate = GATE_FREE };

static void gate_lock(atomic_int *g)
{
    int expected = GATE_FREE;

    while (!atomic_compare_exchange_weak_explicit(g, &expected, GATE_TAKEN,
                                                  memory_order_acquire,
                                                  memory_order_relaxed))
        sched_yield();
}

static void gate_unlock(atomic_int *g)
{
    atomic_store_explicit(g, GATE_FREE, memory_order_release);
}

static void record(struct stats *s, int value)
{
    gate_lock(&s->gate);
    s->samples++;
    s->sum += value;
    if (value > s->max)
        s->max = value;
    gate_unlock(&s->gate);
}

static void *sampler(void *arg)
{
    int base = *(const int *)arg;

    record(&st, base);
    record(&st, base + 1);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int one = 10, two = 20;

    if (pthread_create(&a, NULL, sampler, &one) != 0)
        return 2;
    if (pthread_create(&b, NULL, sampler, &two) != 0)
        return 2;
    pthread_join(a, NULL);
    pthread_join(b, NULL);

    assert(st.samples == 4);
    assert(st.sum == 62);
    assert(st.max == 21);
    printf("samples=%d sum=%d max=%d\n", st.samples, st.sum, st.max);
    return 0;
}
