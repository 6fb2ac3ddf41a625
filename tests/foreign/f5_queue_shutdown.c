/* A queue of numbers with two consumers and an orderly shutdown. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CAP 8

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    int item[CAP];
    int head, tail;
    int closed;
} q;

static void queue_init(void)
{
    if (pthread_mutex_init(&q.lock, NULL) != 0 || pthread_cond_init(&q.more, NULL) != 0)
        abort();
}

static void queue_push(int v)
{
    pthread_mutex_lock(&q.lock);
    q.item[q.tail++ % CAP] = v;
    pthread_cond_signal(&q.more);
    pthread_mutex_unlock(&q.lock);
}

/* Returns 0 when the queue is closed and empty. */
static int queue_pop(int *v)
{
    int ok = 0;

    pthread_mutex_lock(&q.lock);
    while (q.head == q.tail && !q.closed)
        pthread_cond_wait(&q.more, &q.lock);
    if (q.head != q.tail) {
        *v = q.item[q.head++ % CAP];
        ok = 1;
    }
    pthread_mutex_unlock(&q.lock);
    return ok;
}

static void queue_shutdown(void)
{
    pthread_mutex_lock(&q.lock);
    q.closed = 1;
    pthread_cond_broadcast(&q.more);
    pthread_mutex_unlock(&q.lock);
    pthread_cond_destroy(&q.more);
    pthread_mutex_destroy(&q.lock);
}

static void *consumer(void *arg)
{
    int *sum = arg;
    int v;

    while (queue_pop(&v))
        *sum += v;
    return NULL;
}

int main(void)
{
    pthread_t c[2];
    int sum[2] = { 0, 0 };

    queue_init();
    for (int i = 0; i < 2; i++)
        if (pthread_create(&c[i], NULL, consumer, &sum[i]) != 0)
            return 2;
    queue_push(5);
    queue_push(6);
    queue_shutdown();
    for (int i = 0; i < 2; i++)
        pthread_join(c[i], NULL);
    printf("sum %d\n", sum[0] + sum[1]);
    return 0;
}
