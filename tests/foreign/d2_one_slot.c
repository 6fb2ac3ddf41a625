/* A one-slot hand-over between producers and consumers. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct slot {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full;
    int value;
};

static struct slot slot = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
};

static void slot_put(struct slot *s, int v)
{
    pthread_mutex_lock(&s->lock);
    while (s->full)
        pthread_cond_wait(&s->changed, &s->lock);
    s->value = v;
    s->full = 1;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static int slot_take(struct slot *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->full)
        pthread_cond_wait(&s->changed, &s->lock);
    int v = s->value;
    s->full = 0;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return v;
}

static void *producer(void *arg)
{
    slot_put(&slot, *(int *)arg);
    return NULL;
}

static void *consumer(void *arg)
{
    *(int *)arg = slot_take(&slot);
    return NULL;
}

int main(void)
{
    pthread_t tid[4];
    int in[2] = { 3, 4 };
    int out[2] = { 0, 0 };

    for (int i = 0; i < 2; i++)
        if (pthread_create(&tid[i], NULL, consumer, &out[i]) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&tid[2 + i], NULL, producer, &in[i]) != 0)
            abort();
    for (int i = 0; i < 4; i++)
        pthread_join(tid[i], NULL);
    assert(out[0] + out[1] == 7);
    printf("%d\n", out[0] + out[1]);
    return 0;
}
