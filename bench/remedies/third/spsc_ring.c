/* Telemetry chain: a source feeds raw samples through a ring to a filter,
 * which feeds smoothed samples through a second ring to the recorder.  Each
 * ring has one producer and one consumer. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_SIZE 16 /* a power of two */
#define SAMPLES 96
#define BURST 3

struct sample {
    uint32_t number;
    int32_t value;
    uint32_t check;
};

struct ring {
    _Atomic uint32_t head; /* next to take; written by the consumer */
    _Atomic uint32_t tail; /* next to fill; written by the producer */
    struct sample slots[RING_SIZE];
};

static struct sample sample_make(uint32_t number, int32_t value)
{
    struct sample s = { number, value, number * 31u ^ (uint32_t)value };

    return s;
}

static void sample_check(const struct sample *s, uint32_t expected)
{
    if (s->number != expected || s->check != (s->number * 31u ^ (uint32_t)s->value)) {
        fprintf(stderr, "sample %u damaged (number %u)\n", expected, s->number);
        abort();
    }
}

static uint32_t ring_room(struct ring *r, uint32_t tail)
{
    uint32_t head = atomic_load_explicit(&r->head, memory_order_acquire);

    return RING_SIZE - (tail - head);
}

static int ring_push(struct ring *r, const struct sample *s)
{
    uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);

    if (ring_room(r, tail) < 1)
        return 0;
    r->slots[tail % RING_SIZE] = *s;
    atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
    return 1;
}

/* Pushes all n samples, or none if there is not room for all. */
static int ring_push_burst(struct ring *r, const struct sample *s, uint32_t n)
{
    uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    uint32_t i;

    if (ring_room(r, tail) < n)
        return 0;
    for (i = 0; i < n; i++)
        r->slots[(tail + i) % RING_SIZE] = s[i];
#ifdef CORRECT
    atomic_store_explicit(&r->tail, tail + n, memory_order_release);
#else
    atomic_store_explicit(&r->tail, tail + n, memory_order_relaxed);
#endif
    return 1;
}

static int ring_pop(struct ring *r, struct sample *s)
{
    uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);

    if (atomic_load_explicit(&r->tail, memory_order_acquire) == head)
        return 0;
    *s = r->slots[head % RING_SIZE];
    atomic_store_explicit(&r->head, head + 1, memory_order_release);
    return 1;
}

struct chain {
    struct ring raw;
    struct ring smooth;
    int64_t source_sum;
    int64_t filter_sum;
    int64_t recorder_sum;
    uint32_t bursts;
    uint32_t recorded;
};

static int32_t measure(uint32_t number)
{
    return (int32_t)(number * 2654435761u >> 22) - 500;
}

/* Every tenth reading comes together with the following ones as a burst. */
static void *source_main(void *arg)
{
    struct chain *c = arg;
    struct sample burst[BURST];
    uint32_t n = 0, i;

    while (n < SAMPLES) {
        uint32_t count = n % 10 == 9 && n + BURST <= SAMPLES ? BURST : 1;

        for (i = 0; i < count; i++) {
            burst[i] = sample_make(n + i, measure(n + i));
            c->source_sum += burst[i].value;
        }
        if (count > 1) {
            while (!ring_push_burst(&c->raw, burst, count))
                sched_yield();
            c->bursts++;
        } else {
            while (!ring_push(&c->raw, &burst[0]))
                sched_yield();
        }
        n += count;
    }
    return NULL;
}

static void *filter_main(void *arg)
{
    struct chain *c = arg;
    int32_t level = 0;
    uint32_t n;

    for (n = 0; n < SAMPLES; n++) {
        struct sample s;

        while (!ring_pop(&c->raw, &s))
            sched_yield();
        sample_check(&s, n);
        level += (s.value - level) / 4;
        s = sample_make(n, level);
        c->filter_sum += level;
        while (!ring_push(&c->smooth, &s))
            sched_yield();
    }
    return NULL;
}

static void *recorder_main(void *arg)
{
    struct chain *c = arg;
    uint32_t n;

    for (n = 0; n < SAMPLES; n++) {
        struct sample s;

        while (!ring_pop(&c->smooth, &s))
            sched_yield();
        sample_check(&s, n);
        c->recorder_sum += s.value;
        c->recorded++;
    }
    return NULL;
}

int main(void)
{
    static struct chain chain;
    void *(*const stages[])(void *) = { source_main, filter_main, recorder_main };
    pthread_t threads[3];
    int64_t sum = 0, smooth = 0;
    int32_t level = 0;
    uint32_t n;
    int i;

    for (i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, stages[i], &chain) != 0)
            abort();
    for (i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);

    for (n = 0; n < SAMPLES; n++) {
        sum += measure(n);
        level += (measure(n) - level) / 4;
        smooth += level;
    }
    assert(chain.source_sum == sum);
    assert(chain.filter_sum == smooth);
    assert(chain.recorder_sum == smooth);
    assert(chain.recorded == SAMPLES);
    printf("%u samples, %u bursts, level %d\n", chain.recorded, chain.bursts, level);
    return 0;
}
