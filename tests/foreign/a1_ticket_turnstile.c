/* A turnstile in front of a shared tally: first come, first served. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define VISITORS 3
#define VISITS 2

struct turnstile {
    atomic_uint next;
    atomic_uint serving;
};

static struct turnstile gate;
static long tally;
static int inside;
static int order[VISITORS * VISITS];

/* Poll with a read-modify-write so that we always see the latest number. */
static void enter(struct turnstile *t)
{
    unsigned mine = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);

    while (atomic_fetch_add_explicit(&t->serving, 0, memory_order_acquire) != mine)
        sched_yield();
}

/* Only the thread inside ever advances the number, hence no RMW is needed. */
static void leave(struct turnstile *t)
{
    unsigned cur = atomic_load_explicit(&t->serving, memory_order_relaxed);

    atomic_store_explicit(&t->serving, cur + 1, memory_order_release);
}

static void *visitor(void *arg)
{
    int id = *(int *)arg;

    for (int i = 0; i < VISITS; i++) {
        enter(&gate);
        assert(inside == 0);
        inside = 1;
        order[tally] = id;
        tally++;
        inside = 0;
        leave(&gate);
    }
    return NULL;
}

int main(void)
{
    pthread_t tid[VISITORS];
    int ids[VISITORS];
    int seen[VISITORS] = { 0 };

    for (int i = 0; i < VISITORS; i++) {
        ids[i] = i;
        if (pthread_create(&tid[i], NULL, visitor, &ids[i]) != 0)
            return 2;
    }
    for (int i = 0; i < VISITORS; i++)
        pthread_join(tid[i], NULL);

    for (int i = 0; i < VISITORS * VISITS; i++)
        seen[order[i]]++;
    for (int i = 0; i < VISITORS; i++)
        assert(seen[i] == VISITS);
    assert(tally == VISITORS * VISITS);
    printf("tally %ld\n", tally);
    return 0;
}
