/* Two candidates claim a resource; at most one of them may succeed. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 2

struct claim {
    atomic_int flag[2];
    int winner; /* written by the only winner, if any */
    int wins;
};

static struct claim claims[ROUNDS];
static atomic_int both_lost;

/* Store, full fence, load: at least one side sees the other one. */
static int try_claim(struct claim *c, int me)
{
    atomic_store_explicit(&c->flag[me], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    return atomic_load_explicit(&c->flag[1 - me], memory_order_relaxed) == 0;
}

static void *candidate(void *arg)
{
    int me = *(int *)arg;

    for (int i = 0; i < ROUNDS; i++) {
        struct claim *c = &claims[i];
        if (try_claim(c, me)) {
            c->winner = me;
            c->wins++;
        } else {
            atomic_fetch_add_explicit(&both_lost, 1, memory_order_relaxed);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int id[2] = { 0, 1 };
    int wins = 0;

    for (int i = 0; i < ROUNDS; i++)
        claims[i].winner = -1;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, candidate, &id[i]) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);

    for (int i = 0; i < ROUNDS; i++) {
        assert(claims[i].wins <= 1);
        assert((claims[i].winner >= 0) == (claims[i].wins == 1));
        wins += claims[i].wins;
    }
    int losses = atomic_load_explicit(&both_lost, memory_order_relaxed);
    assert(wins + losses == 2 * ROUNDS);
    puts("at most one winner per round");
    return 0;
}
