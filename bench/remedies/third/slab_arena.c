/* Lock-free slab of fixed-size message blocks.  Free blocks form a stack
 * linked by index; the head word is (tag << 32 | index). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 4
#define NO_BLOCK UINT32_MAX
#define BLOCK_WORDS 6
#define WORKERS 3
#define ROUNDS 60

struct block {
    _Atomic uint32_t next;
    _Atomic uint32_t owner;
    uint32_t words[BLOCK_WORDS];
};

struct slab {
    _Atomic uint64_t head;
    struct block blocks[BLOCKS];
};

struct message {
    uint32_t block;
    uint32_t seed;
};

struct worker {
    struct slab *slab;
    uint32_t id;
    unsigned sent;
    unsigned empty;
    uint64_t sum;
};

static uint64_t head_make(uint32_t tag, uint32_t index)
{
    return (uint64_t)tag << 32 | index;
}

static uint32_t head_tag(uint64_t head)
{
    return (uint32_t)(head >> 32);
}

static uint32_t head_index(uint64_t head)
{
    return (uint32_t)head;
}

static void slab_init(struct slab *s)
{
    uint32_t i;

    memset(s, 0, sizeof *s);
    for (i = 0; i < BLOCKS; i++)
        atomic_init(&s->blocks[i].next, i + 1 < BLOCKS ? i + 1 : NO_BLOCK);
    atomic_init(&s->head, head_make(0, 0));
}

static uint32_t slab_get(struct slab *s)
{
    uint64_t head = atomic_load_explicit(&s->head, memory_order_acquire);
    uint64_t want;

    do {
        uint32_t next;

        if (head_index(head) == NO_BLOCK)
            return NO_BLOCK;
        next = atomic_load_explicit(&s->blocks[head_index(head)].next,
                                    memory_order_relaxed);
#ifdef CORRECT
        want = head_make(head_tag(head) + 1, next);
#else
        want = head_make(head_tag(head), next);
#endif
    } while (!atomic_compare_exchange_weak_explicit(&s->head, &head, want,
                                                    memory_order_acquire,
                                                    memory_order_acquire));
    return head_index(head);
}

static void slab_put(struct slab *s, uint32_t index)
{
    uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
    uint64_t want;

    do {
        atomic_store_explicit(&s->blocks[index].next, head_index(head),
                              memory_order_relaxed);
        want = head_make(head_tag(head), index);
    } while (!atomic_compare_exchange_weak_explicit(&s->head, &head, want,
                                                    memory_order_release,
                                                    memory_order_relaxed));
}

static int message_begin(struct worker *w, struct message *m, uint32_t seed)
{
    struct block *b;
    int i;

    m->block = slab_get(w->slab);
    if (m->block == NO_BLOCK)
        return -1;
    m->seed = seed;
    b = &w->slab->blocks[m->block];
    if (atomic_exchange_explicit(&b->owner, w->id, memory_order_relaxed) != 0)
        abort();
    for (i = 0; i < BLOCK_WORDS; i++)
        b->words[i] = seed * 31u + (uint32_t)i;
    return 0;
}

static void message_send(struct worker *w, struct message *m)
{
    struct block *b = &w->slab->blocks[m->block];
    int i;

    for (i = 0; i < BLOCK_WORDS; i++) {
        assert(b->words[i] == m->seed * 31u + (uint32_t)i);
        w->sum += b->words[i];
    }
    if (atomic_exchange_explicit(&b->owner, 0, memory_order_relaxed) != w->id)
        abort();
    slab_put(w->slab, m->block);
    w->sent++;
}

/* A request and, for every second round, a follow-up sent before it. */
static void *worker_main(void *arg)
{
    struct worker *w = arg;
    uint32_t i;

    for (i = 0; i < ROUNDS; i++) {
        struct message first, second;

        if (message_begin(w, &first, w->id * 1000u + i) != 0) {
            w->empty++;
            continue;
        }
        if (i % 2 == 1 && message_begin(w, &second, w->id * 2000u + i) == 0) {
            message_send(w, &first);
            message_send(w, &second);
        } else {
            message_send(w, &first);
        }
    }
    return NULL;
}

static unsigned slab_free_blocks(struct slab *s)
{
    unsigned seen[BLOCKS] = { 0 };
    unsigned n = 0;
    uint32_t i = head_index(atomic_load(&s->head));

    while (i != NO_BLOCK) {
        assert(i < BLOCKS);
        assert(seen[i]++ == 0);
        n++;
        i = atomic_load(&s->blocks[i].next);
    }
    return n;
}

int main(void)
{
    static struct slab slab;
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    unsigned i, sent = 0, empty = 0;
    uint64_t sum = 0;

    slab_init(&slab);
    for (i = 0; i < WORKERS; i++) {
        memset(&workers[i], 0, sizeof workers[i]);
        workers[i].slab = &slab;
        workers[i].id = i + 1;
        if (pthread_create(&threads[i], NULL, worker_main, &workers[i]) != 0)
            abort();
    }
    for (i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        sent += workers[i].sent;
        empty += workers[i].empty;
        sum += workers[i].sum;
    }
    assert(slab_free_blocks(&slab) == BLOCKS);
    assert(sent + empty >= WORKERS * ROUNDS);
    printf("%u sent, %u without a block, sum %llu\n", sent, empty,
           (unsigned long long)sum);
    return 0;
}
