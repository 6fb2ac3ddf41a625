/* Upload server: every tenant has a byte quota for uploads in progress.
 * Workers begin uploads, fill and verify their buffers and end them. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENANTS 2
#define WORKERS 3
#define UPLOADS 80
#define QUOTA 1500
#define HELD_MAX 3

struct tenant {
    pthread_mutex_t lock;
    size_t limit;
    size_t used;
    size_t peak;
    unsigned begun, ended, refused;
};

struct upload {
    struct tenant *tenant;
    unsigned char *data;
    size_t size;
};

struct worker {
    struct tenant *tenants;
    unsigned rng;
    struct upload held[HELD_MAX];
    int nheld;
    unsigned begun, refused;
};

static pthread_barrier_t start;

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void tenant_init(struct tenant *t, size_t limit)
{
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    t->limit = limit;
}

/* Both are called with the tenant's lock held. */
static int tenant_has_room(const struct tenant *t, size_t size)
{
    return t->used + size <= t->limit;
}

static void tenant_charge(struct tenant *t, size_t size)
{
    t->used += size;
    if (t->used > t->peak)
        t->peak = t->used;
    t->begun++;
}

/* Returns 0, or -1 when the tenant's quota is used up. */
static int upload_begin(struct upload *u, struct tenant *t, size_t size)
{
    int room;

    pthread_mutex_lock(&t->lock);
    room = tenant_has_room(t, size);
    if (!room)
        t->refused++;
#ifdef CORRECT
    else
        tenant_charge(t, size);
    pthread_mutex_unlock(&t->lock);
    if (!room)
        return -1;
#else
    pthread_mutex_unlock(&t->lock);
    if (!room)
        return -1;
    pthread_mutex_lock(&t->lock);
    tenant_charge(t, size);
    pthread_mutex_unlock(&t->lock);
#endif
    u->tenant = t;
    u->size = size;
    u->data = malloc(size);
    if (u->data == NULL)
        abort();
    return 0;
}

static void upload_fill(struct upload *u, unsigned char seed)
{
    size_t i;

    for (i = 0; i < u->size; i++)
        u->data[i] = (unsigned char)(seed + i);
}

static void upload_end(struct upload *u)
{
    size_t i;

    for (i = 1; i < u->size; i++)
        assert(u->data[i] == (unsigned char)(u->data[0] + i));
    free(u->data);
    pthread_mutex_lock(&u->tenant->lock);
    assert(u->tenant->used >= u->size);
    u->tenant->used -= u->size;
    u->tenant->ended++;
    pthread_mutex_unlock(&u->tenant->lock);
    u->data = NULL;
}

static void worker_end_oldest(struct worker *w)
{
    upload_end(&w->held[0]);
    w->nheld--;
    memmove(&w->held[0], &w->held[1], (size_t)w->nheld * sizeof w->held[0]);
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    int i;

    pthread_barrier_wait(&start);
    for (i = 0; i < UPLOADS; i++) {
        struct tenant *t = &w->tenants[next_random(&w->rng) % TENANTS];
        size_t size = 50 + next_random(&w->rng) % 400;

        if (w->nheld == HELD_MAX)
            worker_end_oldest(w);
        if (upload_begin(&w->held[w->nheld], t, size) != 0) {
            w->refused++;
            if (w->nheld > 0)
                worker_end_oldest(w);
            continue;
        }
        w->begun++;
        upload_fill(&w->held[w->nheld], (unsigned char)i);
        w->nheld++;
    }
    while (w->nheld > 0)
        worker_end_oldest(w);
    return NULL;
}

int main(void)
{
    struct tenant tenants[TENANTS];
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    unsigned begun = 0, refused = 0;
    int i;

    pthread_barrier_init(&start, NULL, WORKERS);
    for (i = 0; i < TENANTS; i++)
        tenant_init(&tenants[i], QUOTA);
    for (i = 0; i < WORKERS; i++) {
        memset(&workers[i], 0, sizeof workers[i]);
        workers[i].tenants = tenants;
        workers[i].rng = 99u + 31u * (unsigned)i;
        if (pthread_create(&threads[i], NULL, worker_main, &workers[i]) != 0)
            abort();
    }
    for (i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);

    for (i = 0; i < WORKERS; i++) {
        begun += workers[i].begun;
        refused += workers[i].refused;
    }
    for (i = 0; i < TENANTS; i++) {
        struct tenant *t = &tenants[i];

        assert(t->used == 0);
        assert(t->begun == t->ended);
        assert(t->peak <= t->limit);
        begun -= t->begun;
        refused -= t->refused;
        printf("tenant %d: peak %zu of %zu, %u refused\n", i, t->peak, t->limit,
               t->refused);
        pthread_mutex_destroy(&t->lock);
    }
    assert(begun == 0 && refused == 0);
    pthread_barrier_destroy(&start);
    return 0;
}
