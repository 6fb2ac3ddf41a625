/* Sessions with a read-write lock each, kept alive by counted references. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SESSIONS 2

struct session {
    pthread_rwlock_t lock;
    int refs; /* guarded by table_lock */
    int bytes;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *sessions[SESSIONS];
static int destroyed; /* guarded by table_lock */

static struct session *session_new(int bytes)
{
    struct session *s = calloc(1, sizeof *s);

    if (s == NULL || pthread_rwlock_init(&s->lock, NULL) != 0)
        abort();
    s->refs = 1; /* the table's */
    s->bytes = bytes;
    return s;
}

static struct session *session_get(int i)
{
    pthread_mutex_lock(&table_lock);
    struct session *s = sessions[i];
    if (s != NULL)
        s->refs++;
    pthread_mutex_unlock(&table_lock);
    return s;
}

static void session_put(struct session *s)
{
    pthread_mutex_lock(&table_lock);
    int last = --s->refs == 0;
    if (last)
        destroyed++;
    pthread_mutex_unlock(&table_lock);
    if (last) {
        if (pthread_rwlock_destroy(&s->lock) != 0)
            abort();
        free(s);
    }
}

static void session_close(int i)
{
    pthread_mutex_lock(&table_lock);
    struct session *s = sessions[i];
    sessions[i] = NULL;
    pthread_mutex_unlock(&table_lock);
    if (s == NULL)
        return;
    pthread_rwlock_wrlock(&s->lock);
    s->bytes = 0;
    pthread_rwlock_unlock(&s->lock);
    session_put(s);
}

static void *monitor(void *arg)
{
    int *sum = arg;

    for (int i = 0; i < SESSIONS; i++) {
        struct session *s = session_get(i);
        if (s == NULL)
            continue;
        pthread_rwlock_rdlock(&s->lock);
        *sum += s->bytes;
        pthread_rwlock_unlock(&s->lock);
        session_put(s);
    }
    return NULL;
}

static void *reaper(void *arg)
{
    session_close(*(int *)arg);
    return NULL;
}

int main(void)
{
    pthread_t m, r1, r2;
    int sum = 0, which = 1;

    sessions[0] = session_new(100);
    sessions[1] = session_new(200);
    if (pthread_create(&m, NULL, monitor, &sum) != 0)
        abort();
    if (pthread_create(&r1, NULL, reaper, &which) != 0)
        abort();
    if (pthread_create(&r2, NULL, reaper, &which) != 0)
        abort();
    pthread_join(m, NULL);
    pthread_join(r1, NULL);
    pthread_join(r2, NULL);
    session_close(0);
    assert(destroyed == SESSIONS);
    assert(sum == 100 || sum == 300);
    puts("closed");
    return 0;
}
