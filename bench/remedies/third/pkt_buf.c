/* Stream server: the source replaces the latest key frame, viewers send it.
 * Frames live in reference-counted buffers from a small pool. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL_FRAMES 8
#define FRAME_WORDS 24
#define VIEWERS 2
#define FRAMES 60
#define VIEWS 120

struct frame {
    atomic_int refs;
    struct frame *next_free;
    uint32_t number;
    uint32_t words[FRAME_WORDS];
};

struct pool {
    pthread_mutex_t lock;
    struct frame frames[POOL_FRAMES];
    struct frame *free_list;
    int in_use;
};

struct stream {
    pthread_mutex_t lock;
    struct frame *latest;
    struct pool pool;
};

struct viewer {
    struct stream *stream;
    uint32_t newest;
    unsigned views;
    unsigned repeats;
};

static pthread_barrier_t start;

static void pool_init(struct pool *p)
{
    int i;

    pthread_mutex_init(&p->lock, NULL);
    p->free_list = NULL;
    p->in_use = 0;
    for (i = 0; i < POOL_FRAMES; i++) {
        atomic_init(&p->frames[i].refs, 0);
        p->frames[i].next_free = p->free_list;
        p->free_list = &p->frames[i];
    }
}

static struct frame *frame_new(struct pool *p)
{
    struct frame *f;

    pthread_mutex_lock(&p->lock);
    f = p->free_list;
    if (f != NULL) {
        p->free_list = f->next_free;
        p->in_use++;
    }
    pthread_mutex_unlock(&p->lock);
    if (f != NULL)
        atomic_store(&f->refs, 1);
    return f;
}

static void frame_get(struct frame *f)
{
    int before = atomic_fetch_add(&f->refs, 1);

    assert(before > 0);
    (void)before;
}

static void frame_put(struct pool *p, struct frame *f)
{
    int before = atomic_fetch_sub(&f->refs, 1);

    assert(before > 0);
    if (before > 1)
        return;
    f->number = 0;
    memset(f->words, 0xdd, sizeof f->words);
    pthread_mutex_lock(&p->lock);
    f->next_free = p->free_list;
    p->free_list = f;
    p->in_use--;
    pthread_mutex_unlock(&p->lock);
}

static void frame_fill(struct frame *f, uint32_t number)
{
    uint32_t x = number * 2654435761u;
    int i;

    f->number = number;
    for (i = 0; i < FRAME_WORDS; i++) {
        x = x * 1664525u + 1013904223u;
        f->words[i] = x;
    }
}

static int frame_intact(const struct frame *f)
{
    uint32_t x = f->number * 2654435761u;
    int i;

    for (i = 0; i < FRAME_WORDS; i++) {
        x = x * 1664525u + 1013904223u;
        if (f->words[i] != x)
            return 0;
    }
    return f->number != 0;
}

static void stream_publish(struct stream *s, struct frame *f)
{
    struct frame *old;

    pthread_mutex_lock(&s->lock);
    old = s->latest;
    s->latest = f;
    pthread_mutex_unlock(&s->lock);
    if (old != NULL)
        frame_put(&s->pool, old);
}

/* The latest key frame with a reference for the caller. */
static struct frame *stream_latest(struct stream *s)
{
    struct frame *f;

    pthread_mutex_lock(&s->lock);
    f = s->latest;
#ifdef CORRECT
    frame_get(f);
    pthread_mutex_unlock(&s->lock);
#else
    pthread_mutex_unlock(&s->lock);
    frame_get(f);
#endif
    return f;
}

static void *source_main(void *arg)
{
    struct stream *s = arg;
    uint32_t number;

    pthread_barrier_wait(&start);
    for (number = 2; number <= FRAMES; number++) {
        struct frame *f = frame_new(&s->pool);

        assert(f != NULL);
        frame_fill(f, number);
        stream_publish(s, f);
    }
    return NULL;
}

static void *viewer_main(void *arg)
{
    struct viewer *v = arg;
    int i;

    pthread_barrier_wait(&start);
    for (i = 0; i < VIEWS; i++) {
        struct frame *f = stream_latest(v->stream);

        assert(frame_intact(f));
        assert(f->number >= v->newest);
        if (f->number == v->newest)
            v->repeats++;
        v->newest = f->number;
        v->views++;
        frame_put(&v->stream->pool, f);
    }
    return NULL;
}

int main(void)
{
    static struct stream stream;
    struct viewer viewers[VIEWERS];
    pthread_t threads[VIEWERS + 1];
    struct frame *first;
    int i;

    pthread_barrier_init(&start, NULL, VIEWERS + 1);
    pthread_mutex_init(&stream.lock, NULL);
    pool_init(&stream.pool);
    first = frame_new(&stream.pool);
    frame_fill(first, 1);
    stream_publish(&stream, first);

    if (pthread_create(&threads[VIEWERS], NULL, source_main, &stream) != 0)
        abort();
    for (i = 0; i < VIEWERS; i++) {
        memset(&viewers[i], 0, sizeof viewers[i]);
        viewers[i].stream = &stream;
        if (pthread_create(&threads[i], NULL, viewer_main, &viewers[i]) != 0)
            abort();
    }
    for (i = 0; i < VIEWERS + 1; i++)
        pthread_join(threads[i], NULL);

    assert(stream.pool.in_use == 1);
    assert(atomic_load(&stream.latest->refs) == 1);
    assert(stream.latest->number == FRAMES);
    stream_publish(&stream, NULL);
    assert(stream.pool.in_use == 0);
    for (i = 0; i < VIEWERS; i++) {
        assert(viewers[i].views == VIEWS);
        printf("viewer %d: %u views, %u repeats\n", i, viewers[i].views,
               viewers[i].repeats);
    }
    pthread_barrier_destroy(&start);
    return 0;
}
