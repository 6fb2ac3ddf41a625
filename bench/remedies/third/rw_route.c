/* Forwarding table with a small reader-writer spin lock.  The entries are
 * atomics because the statistics thread looks at them without the lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUTES 6
#define FORWARDERS 2
#define PACKETS 90
#define UPDATES 50
#define WRITER 0x80000000u

struct rw_lock {
    atomic_uint state; /* WRITER, or the number of readers */
};

struct route {
    atomic_uint gateway;
    atomic_uint metric;
    atomic_uint check;
    atomic_uint packets;
};

struct table {
    struct rw_lock lock;
    struct route routes[ROUTES];
    unsigned updates;
};

struct forwarder {
    struct table *table;
    unsigned rng;
    unsigned forwarded;
    unsigned cost;
};

static void rw_read_lock(struct rw_lock *l)
{
    while (atomic_fetch_add_explicit(&l->state, 1, memory_order_acquire) & WRITER) {
        atomic_fetch_sub_explicit(&l->state, 1, memory_order_relaxed);
        sched_yield();
    }
}

static void rw_read_unlock(struct rw_lock *l)
{
    atomic_fetch_sub_explicit(&l->state, 1, memory_order_release);
}

static void rw_write_lock(struct rw_lock *l)
{
    unsigned none = 0;

    while (!atomic_compare_exchange_weak_explicit(&l->state, &none, WRITER,
                                                  memory_order_acquire,
                                                  memory_order_relaxed)) {
        none = 0;
        sched_yield();
    }
}

static void rw_write_unlock(struct rw_lock *l)
{
#ifdef CORRECT
    atomic_fetch_and_explicit(&l->state, ~WRITER, memory_order_release);
#else
    atomic_fetch_and_explicit(&l->state, ~WRITER, memory_order_relaxed);
#endif
}

static unsigned read_field(atomic_uint *field)
{
    return atomic_load_explicit(field, memory_order_relaxed);
}

static void write_field(atomic_uint *field, unsigned value)
{
    atomic_store_explicit(field, value, memory_order_relaxed);
}

static void route_set(struct table *t, unsigned index, unsigned gateway,
                      unsigned metric)
{
    struct route *r = &t->routes[index];

    rw_write_lock(&t->lock);
    write_field(&r->gateway, gateway);
    write_field(&r->metric, metric);
    write_field(&r->check, gateway * 13u + metric);
    t->updates++;
    rw_write_unlock(&t->lock);
}

/* Returns the metric of the route taken. */
static unsigned route_packet(struct table *t, unsigned index)
{
    struct route *r = &t->routes[index];
    unsigned gateway, metric, check;

    rw_read_lock(&t->lock);
    gateway = read_field(&r->gateway);
    metric = read_field(&r->metric);
    check = read_field(&r->check);
    rw_read_unlock(&t->lock);
    if (check != gateway * 13u + metric) {
        fprintf(stderr, "route %u: gateway %u, metric %u, check %u\n", index,
                gateway, metric, check);
        abort();
    }
    atomic_fetch_add_explicit(&r->packets, 1, memory_order_relaxed);
    return metric;
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void *forwarder_main(void *arg)
{
    struct forwarder *f = arg;
    int i;

    for (i = 0; i < PACKETS; i++) {
        f->cost += route_packet(f->table, next_random(&f->rng) % ROUTES);
        f->forwarded++;
    }
    return NULL;
}

static void *update_main(void *arg)
{
    struct table *t = arg;
    unsigned i;

    for (i = 0; i < UPDATES; i++)
        route_set(t, i % ROUTES, 100 + i, 1 + i * 7 % 20);
    return NULL;
}

/* Samples the packet counts while traffic is going on. */
static void *statistics_main(void *arg)
{
    struct table *t = arg;
    unsigned last = 0, round, i;

    for (round = 0; round < 20; round++) {
        unsigned sum = 0;

        for (i = 0; i < ROUTES; i++)
            sum += read_field(&t->routes[i].packets);
        if (sum < last)
            abort();
        last = sum;
    }
    return NULL;
}

int main(void)
{
    static struct table table;
    struct forwarder forwarders[FORWARDERS];
    pthread_t threads[FORWARDERS + 2];
    unsigned i, packets = 0, forwarded = 0;

    for (i = 0; i < ROUTES; i++)
        route_set(&table, i, i + 1, 1);

    for (i = 0; i < FORWARDERS; i++) {
        memset(&forwarders[i], 0, sizeof forwarders[i]);
        forwarders[i].table = &table;
        forwarders[i].rng = 31u + i;
        if (pthread_create(&threads[i], NULL, forwarder_main, &forwarders[i]) != 0)
            abort();
    }
    if (pthread_create(&threads[FORWARDERS], NULL, update_main, &table) != 0 ||
        pthread_create(&threads[FORWARDERS + 1], NULL, statistics_main, &table) != 0)
        abort();
    for (i = 0; i < FORWARDERS + 2; i++)
        pthread_join(threads[i], NULL);

    assert(atomic_load(&table.lock.state) == 0);
    assert(table.updates == ROUTES + UPDATES);
    for (i = 0; i < ROUTES; i++)
        packets += read_field(&table.routes[i].packets);
    for (i = 0; i < FORWARDERS; i++)
        forwarded += forwarders[i].forwarded;
    assert(packets == forwarded && forwarded == FORWARDERS * PACKETS);
    printf("%u packets forwarded, %u updates\n", packets, table.updates);
    return 0;
}
