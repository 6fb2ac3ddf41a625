/* Sessions, each with a read-write lock, in a table with its own lock. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SESSIONS 2

struct session {
    pthread_rwlock_t lock;
    int user;
    int bytes;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *sessions[SESSIONS];

static struct session *session_new(int user)
{
    struct session *s = calloc(1, sizeof *s);

    if (s == NULL || pthread_rwlock_init(&s->lock, NULL) != 0)
        abort();
    s->user = user;
    s->bytes = 100 * user;
    return s;
}

static struct session *session_find(int i)
{
    pthread_mutex_lock(&table_lock);
    struct session *s = sessions[i];
    pthread_mutex_unlock(&table_lock);
    return s;
}

static int session_bytes(int i)
{
    struct session *s = session_find(i);

    if (s == NULL)
        return 0;
    pthread_rwlock_rdlock(&s->lock);
    int n = s->bytes;
    pthread_rwlock_unlock(&s->lock);
    return n;
}

static void session_close(int i)
{
    pthread_mutex_lock(&table_lock);
    struct session *s = sessions[i];
    sessions[i] = NULL;
    pthread_mutex_unlock(&table_lock);
    if (s == NULL)
        return;

    /* let the readers finish */
    pthread_rwlock_wrlock(&s->lock);
    s->bytes = 0;
    pthread_rwlock_unlock(&s->lock);
    pthread_rwlock_destroy(&s->lock);
    free(s);
}

static void *monitor(void *arg)
{
    int *sum = arg;

    for (int i = 0; i < SESSIONS; i++)
        *sum += session_bytes(i);
    return NULL;
}

static void *reaper(void *arg)
{
    (void)arg;
    session_close(1);
    return NULL;
}

int main(void)
{
    pthread_t m, r;
    int sum = 0;

    for (int i = 0; i < SESSIONS; i++)
        sessions[i] = session_new(i + 1);
    if (pthread_create(&m, NULL, monitor, &sum) != 0)
        return 2;
    if (pthread_create(&r, NULL, reaper, NULL) != 0)
        return 2;
    pthread_join(m, NULL);
    pthread_join(r, NULL);
    session_close(0);
    printf("%s\n", sum >= 100 ? "ok" : "none");
    return 0;
}
