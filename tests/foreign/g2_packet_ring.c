/* A ring of packets between the receive thread and the parser thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING 2
#define PACKETS 4

struct packet {
    int len;
    char data[16];
};

static struct {
    struct packet slot[RING];
    atomic_uint head; /* next to read, written by the parser */
    atomic_uint tail; /* next to write, written by the receiver */
} ring;

static int ring_put(const char *data, int len)
{
    unsigned t = atomic_load_explicit(&ring.tail, memory_order_relaxed);
    unsigned h = atomic_load_explicit(&ring.head, memory_order_acquire);

    if (t - h == RING)
        return 0;
    struct packet *p = &ring.slot[t % RING];
    p->len = len;
    memcpy(p->data, data, (size_t)len);
    atomic_store_explicit(&ring.tail, t + 1, memory_order_release);
    return 1;
}

static int ring_get(struct packet *out)
{
    unsigned h = atomic_load_explicit(&ring.head, memory_order_relaxed);
    unsigned t = atomic_load_explicit(&ring.tail, memory_order_acquire);

    if (h == t)
        return 0;
    const struct packet *p = &ring.slot[h % RING];
    out->len = p->len;
    memcpy(out->data, p->data, (size_t)p->len);
    atomic_store_explicit(&ring.head, h + 1, memory_order_relaxed);
    return 1;
}

static void *receiver(void *arg)
{
    (void)arg;
    for (int i = 0; i < PACKETS; i++) {
        char data[16];
        int len = snprintf(data, sizeof data, "packet-%d", i);
        while (!ring_put(data, len))
            sched_yield();
    }
    return NULL;
}

static void *parser(void *arg)
{
    int *total = arg;

    for (int i = 0; i < PACKETS; i++) {
        struct packet p;
        while (!ring_get(&p))
            sched_yield();
        *total += p.len;
    }
    return NULL;
}

int main(void)
{
    pthread_t r, p;
    int total = 0;

    if (pthread_create(&r, NULL, receiver, NULL) != 0)
        return 2;
    if (pthread_create(&p, NULL, parser, &total) != 0)
        return 2;
    pthread_join(r, NULL);
    pthread_join(p, NULL);
    printf("%d bytes\n", total);
    return 0;
}
