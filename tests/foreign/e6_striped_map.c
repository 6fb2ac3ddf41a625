/* A hash of counters with striped locks; moves take two stripes. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define STRIPES 2
#define SLOTS 4

static struct stripe {
    pthread_mutex_t lock;
    int value[SLOTS];
} stripes[STRIPES];

static struct stripe *stripe_of(int key)
{
    return &stripes[key % STRIPES];
}

static int *cell(int key)
{
    return &stripe_of(key)->value[key / STRIPES % SLOTS];
}

static void check(int rc)
{
    if (rc != 0)
        abort();
}

static void move(int from, int to, int n)
{
    struct stripe *a = stripe_of(from), *b = stripe_of(to);

    if (a == b) {
        check(pthread_mutex_lock(&a->lock));
        *cell(from) -= n;
        *cell(to) += n;
        check(pthread_mutex_unlock(&a->lock));
        return;
    }
    /* always in the order of the addresses */
    struct stripe *lo = (uintptr_t)a < (uintptr_t)b ? a : b;
    struct stripe *hi = lo == a ? b : a;
    check(pthread_mutex_lock(&lo->lock));
    check(pthread_mutex_lock(&hi->lock));
    *cell(from) -= n;
    *cell(to) += n;
    /* the order of the unlocks does not matter */
    check(pthread_mutex_unlock(&lo->lock));
    check(pthread_mutex_unlock(&hi->lock));
}

/* Takes the stripes in the opposite order, but never blocks with one held. */
static int snapshot(void)
{
    for (;;) {
        check(pthread_mutex_lock(&stripes[1].lock));
        int rc = pthread_mutex_trylock(&stripes[0].lock);
        if (rc == 0) {
            int sum = 0;
            for (int s = 0; s < STRIPES; s++)
                for (int i = 0; i < SLOTS; i++)
                    sum += stripes[s].value[i];
            check(pthread_mutex_unlock(&stripes[1].lock));
            check(pthread_mutex_unlock(&stripes[0].lock));
            return sum;
        }
        if (rc != EBUSY)
            abort();
        check(pthread_mutex_unlock(&stripes[1].lock));
        sched_yield();
    }
}

static void *mover_up(void *arg)
{
    (void)arg;
    move(0, 1, 5);
    move(0, 2, 1);
    return NULL;
}

static void *mover_down(void *arg)
{
    (void)arg;
    move(1, 0, 3);
    return NULL;
}

static void *auditor(void *arg)
{
    *(int *)arg = snapshot();
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_mutexattr_t attr;
    int seen = -1;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    for (int i = 0; i < STRIPES; i++)
        check(pthread_mutex_init(&stripes[i].lock, &attr));
    pthread_mutexattr_destroy(&attr);

    *cell(0) = 10;
    *cell(1) = 10;
    check(pthread_create(&t[0], NULL, mover_up, NULL));
    check(pthread_create(&t[1], NULL, mover_down, NULL));
    check(pthread_create(&t[2], NULL, auditor, &seen));
    for (int i = 0; i < 3; i++)
        check(pthread_join(t[i], NULL));

    assert(seen == 20);
    assert(*cell(0) == 7 && *cell(1) == 12 && *cell(2) == 1);
    for (int i = 0; i < STRIPES; i++)
        check(pthread_mutex_destroy(&stripes[i].lock));
    puts("moved");
    return 0;
}
