/* Mutual exclusion for two parties without read-modify-write operations. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 2

static atomic_int interested[2];
static atomic_int turn;

static struct {
    int operations;
    int last_party;
} shared_log;

static void party_lock(int me)
{
    int other = 1 - me;

    atomic_store_explicit(&interested[me], 1, memory_order_release);
    atomic_store_explicit(&turn, other, memory_order_release);
    while (atomic_load_explicit(&interested[other], memory_order_acquire) &&
           atomic_load_explicit(&turn, memory_order_acquire) == other)
        sched_yield();
}

static void party_unlock(int me)
{
    atomic_store_explicit(&interested[me], 0, memory_order_release);
}

static void *party(void *arg)
{
    int me = *(int *)arg;

    for (int i = 0; i < ROUNDS; i++) {
        party_lock(me);
        shared_log.operations++;
        shared_log.last_party = me;
        party_unlock(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int id[2] = { 0, 1 };

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, party, &id[i]) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(shared_log.operations == 2 * ROUNDS);
    assert(shared_log.last_party == 0 || shared_log.last_party == 1);
    printf("%d operations\n", shared_log.operations);
    return 0;
}
