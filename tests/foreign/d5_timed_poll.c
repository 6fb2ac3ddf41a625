/* A poller that looks at its work list now and then, or when it is nudged. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t nudge = PTHREAD_COND_INITIALIZER;
static int pending;
static int stop;

static struct timespec soon(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec += 2 * 1000 * 1000;
    if (ts.tv_nsec >= 1000000000L) {
        ts.tv_nsec -= 1000000000L;
        ts.tv_sec++;
    }
    return ts;
}

static void *poller(void *arg)
{
    int *handled = arg;

    pthread_mutex_lock(&lock);
    for (;;) {
        while (pending > 0) {
            pending--;
            ++*handled;
        }
        if (stop)
            break;
        struct timespec ts = soon();
        int rc = pthread_cond_timedwait(&nudge, &lock, &ts);
        if (rc != 0 && rc != ETIMEDOUT)
            abort();
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *producer(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        pending++;
        pthread_mutex_unlock(&lock);
        /* only the first one is urgent */
        if (i == 0)
            pthread_cond_signal(&nudge);
    }
    return NULL;
}

int main(void)
{
    pthread_t p, q;
    int handled = 0;

    if (pthread_create(&p, NULL, poller, &handled) != 0)
        return 2;
    if (pthread_create(&q, NULL, producer, NULL) != 0)
        return 2;
    pthread_join(q, NULL);

    /* no signal here: the poller notices at its next tick */
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(p, NULL);

    assert(handled == 3 && pending == 0);
    pthread_cond_destroy(&nudge);
    pthread_mutex_destroy(&lock);
    printf("handled %d\n", handled);
    return 0;
}
