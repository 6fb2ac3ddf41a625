/* Download manager: transfers share a number of slots.  Large transfers take
 * several slots at once; a transfer that does not fit waits for room. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4
#define DOWNLOADERS 4
#define TRANSFERS 40
#define CHUNK 64

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t room;
    int free_slots;
    int lowest_free;
    unsigned entered, waited;
};

struct transfer {
    int number;
    int slots;
    unsigned char chunk[CHUNK];
    unsigned checksum;
};

struct downloader {
    struct gate *gate;
    int id;
    unsigned rng;
    unsigned transfers;
    unsigned long bytes;
};

static pthread_barrier_t start;

static void gate_init(struct gate *g, int slots)
{
    memset(g, 0, sizeof *g);
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->room, NULL);
    g->free_slots = slots;
    g->lowest_free = slots;
}

static void gate_enter(struct gate *g, int slots)
{
    pthread_mutex_lock(&g->lock);
#ifdef CORRECT
    while (g->free_slots < slots) {
#else
    if (g->free_slots < slots) {
#endif
        g->waited++;
        pthread_cond_wait(&g->room, &g->lock);
    }
    g->free_slots -= slots;
    if (g->free_slots < g->lowest_free)
        g->lowest_free = g->free_slots;
    g->entered++;
    pthread_mutex_unlock(&g->lock);
}

static void gate_leave(struct gate *g, int slots)
{
    pthread_mutex_lock(&g->lock);
    g->free_slots += slots;
    pthread_cond_broadcast(&g->room);
    pthread_mutex_unlock(&g->lock);
}

static void gate_destroy(struct gate *g)
{
    pthread_cond_destroy(&g->room);
    pthread_mutex_destroy(&g->lock);
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

static void transfer_plan(struct transfer *t, struct downloader *d, int number)
{
    t->number = number;
    t->checksum = 0;
    if (next_random(&d->rng) % 24u == 0)
        t->slots = 3;
    else
        t->slots = 1;
}

static void transfer_run(struct transfer *t)
{
    int round, i;

    for (round = 0; round < t->slots; round++)
        for (i = 0; i < CHUNK; i++) {
            t->chunk[i] = (unsigned char)(t->number * 3 + round + i);
            t->checksum = t->checksum * 31u + t->chunk[i];
        }
}

static void transfer_verify(const struct transfer *t)
{
    unsigned sum = 0;
    int round, i;

    for (round = 0; round < t->slots; round++)
        for (i = 0; i < CHUNK; i++)
            sum = sum * 31u + (unsigned char)(t->number * 3 + round + i);
    assert(sum == t->checksum);
}

static void *downloader_main(void *arg)
{
    struct downloader *d = arg;
    struct transfer t;
    int i;

    pthread_barrier_wait(&start);
    for (i = 0; i < TRANSFERS; i++) {
        transfer_plan(&t, d, d->id * 1000 + i);
        gate_enter(d->gate, t.slots);
        transfer_run(&t);
        gate_leave(d->gate, t.slots);
        transfer_verify(&t);
        d->transfers++;
        d->bytes += (unsigned long)t.slots * CHUNK;
    }
    return NULL;
}

int main(void)
{
    struct gate gate;
    struct downloader downloaders[DOWNLOADERS];
    pthread_t threads[DOWNLOADERS];
    unsigned long bytes = 0;
    unsigned transfers = 0;
    int i;

    pthread_barrier_init(&start, NULL, DOWNLOADERS);
    gate_init(&gate, SLOTS);
    for (i = 0; i < DOWNLOADERS; i++) {
        struct downloader *d = &downloaders[i];

        memset(d, 0, sizeof *d);
        d->gate = &gate;
        d->id = i;
        d->rng = 4711u + 97u * (unsigned)i;
        if (pthread_create(&threads[i], NULL, downloader_main, d) != 0)
            abort();
    }
    for (i = 0; i < DOWNLOADERS; i++) {
        pthread_join(threads[i], NULL);
        transfers += downloaders[i].transfers;
        bytes += downloaders[i].bytes;
    }

    assert(gate.free_slots == SLOTS);
    assert(gate.lowest_free >= 0);
    assert(gate.entered == transfers);
    assert(transfers == DOWNLOADERS * TRANSFERS);
    printf("%u transfers, %lu bytes, %u waits, at most %d slots in use\n",
           transfers, bytes, gate.waited, SLOTS - gate.lowest_free);
    gate_destroy(&gate);
    pthread_barrier_destroy(&start);
    return 0;
}
