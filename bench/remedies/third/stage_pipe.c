/* Two-stage log shipper.  Producers gather lines into a batch; full batches
 * go through a bounded queue to the shipper, which acknowledges every few
 * batches so that the gatherer knows how much is still on its way. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_CAP 8
#define BATCH_LINES 4
#define PRODUCERS 2
#define LINES_EACH 56
#define ACK_EVERY 18

struct line {
    int producer;
    int number;
    unsigned digest;
};

struct batch {
    unsigned count;
    struct line lines[BATCH_LINES];
};

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    struct batch slots[QUEUE_CAP];
    unsigned head, count;
    int closed;
};

struct gatherer {
    pthread_mutex_t lock;
    struct batch current;
    unsigned gathered;
    unsigned acknowledged;
    unsigned most_under_way;
    struct queue *out;
};

struct shipper {
    struct queue *in;
    struct gatherer *gatherer;
    unsigned batches;
    unsigned lines;
    unsigned digest;
    unsigned per_producer[PRODUCERS];
};

static void queue_init(struct queue *q)
{
    memset(q, 0, sizeof *q);
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
}

static void queue_put(struct queue *q, const struct batch *b)
{
    pthread_mutex_lock(&q->lock);
    while (q->count == QUEUE_CAP)
        pthread_cond_wait(&q->not_full, &q->lock);
    q->slots[(q->head + q->count) % QUEUE_CAP] = *b;
    q->count++;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

/* Returns 0 when the queue is closed and empty. */
static int queue_take(struct queue *q, struct batch *b)
{
    int taken = 0;

    pthread_mutex_lock(&q->lock);
    while (q->count == 0 && !q->closed)
        pthread_cond_wait(&q->not_empty, &q->lock);
    if (q->count > 0) {
        *b = q->slots[q->head];
        q->head = (q->head + 1) % QUEUE_CAP;
        q->count--;
        taken = 1;
        pthread_cond_signal(&q->not_full);
    }
    pthread_mutex_unlock(&q->lock);
    return taken;
}

static void queue_close(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = 1;
    pthread_cond_broadcast(&q->not_empty);
    pthread_mutex_unlock(&q->lock);
}

static void gatherer_init(struct gatherer *g, struct queue *out)
{
    memset(g, 0, sizeof *g);
    pthread_mutex_init(&g->lock, NULL);
    g->out = out;
}

static void gatherer_add(struct gatherer *g, struct line l)
{
    struct batch full;
    unsigned under_way;

    full.count = 0;
    pthread_mutex_lock(&g->lock);
    g->current.lines[g->current.count++] = l;
    g->gathered++;
    under_way = g->gathered - g->acknowledged;
    if (under_way > g->most_under_way)
        g->most_under_way = under_way;
    if (g->current.count == BATCH_LINES) {
        full = g->current;
        g->current.count = 0;
    }
#ifdef CORRECT
    pthread_mutex_unlock(&g->lock);
    if (full.count > 0)
        queue_put(g->out, &full);
#else
    if (full.count > 0)
        queue_put(g->out, &full);
    pthread_mutex_unlock(&g->lock);
#endif
}

static void gatherer_acknowledge(struct gatherer *g, unsigned lines)
{
    pthread_mutex_lock(&g->lock);
    g->acknowledged += lines;
    assert(g->acknowledged <= g->gathered);
    pthread_mutex_unlock(&g->lock);
}

static unsigned digest_line(int producer, int number)
{
    char text[80];
    const char *p;
    unsigned h = 5381;
    int level;

    for (level = 0; level < 20; level++) {
        snprintf(text, sizeof text, "p%d line %d level %d t=%010d.%06d",
                 producer, number, level, number / 3, number * 77);
        for (p = text; *p; p++)
            h = h * 33u + (unsigned char)*p;
    }
    return h;
}

static void ship_line(struct shipper *s, const struct line *l)
{
    s->digest ^= l->digest;
    s->per_producer[l->producer]++;
    s->lines++;
}

static void *shipper_main(void *arg)
{
    struct shipper *s = arg;
    struct batch b;
    unsigned pending = 0, i;

    while (queue_take(s->in, &b)) {
        for (i = 0; i < b.count; i++)
            ship_line(s, &b.lines[i]);
        pending += b.count;
        if (++s->batches % ACK_EVERY == 0) {
            gatherer_acknowledge(s->gatherer, pending);
            pending = 0;
        }
    }
    gatherer_acknowledge(s->gatherer, pending);
    return NULL;
}

struct producer {
    struct gatherer *gatherer;
    int id;
    unsigned digest;
};

static void *producer_main(void *arg)
{
    struct producer *p = arg;
    int i;

    for (i = 0; i < LINES_EACH; i++) {
        struct line l = { p->id, i, digest_line(p->id, i) };

        p->digest ^= l.digest;
        gatherer_add(p->gatherer, l);
    }
    return NULL;
}

int main(void)
{
    struct queue queue;
    struct gatherer gatherer;
    struct shipper shipper;
    struct producer producers[PRODUCERS];
    pthread_t shipping, producing[PRODUCERS];
    unsigned digest = 0;
    int i;

    queue_init(&queue);
    gatherer_init(&gatherer, &queue);
    memset(&shipper, 0, sizeof shipper);
    shipper.in = &queue;
    shipper.gatherer = &gatherer;
    if (pthread_create(&shipping, NULL, shipper_main, &shipper) != 0)
        abort();
    for (i = 0; i < PRODUCERS; i++) {
        producers[i].gatherer = &gatherer;
        producers[i].id = i;
        producers[i].digest = 0;
        if (pthread_create(&producing[i], NULL, producer_main, &producers[i]) != 0)
            abort();
    }
    for (i = 0; i < PRODUCERS; i++)
        pthread_join(producing[i], NULL);
    queue_close(&queue);
    pthread_join(shipping, NULL);

    assert(gatherer.current.count == 0);
    assert(gatherer.gathered == PRODUCERS * LINES_EACH);
    assert(gatherer.acknowledged == gatherer.gathered);
    assert(shipper.lines == gatherer.gathered);
    for (i = 0; i < PRODUCERS; i++) {
        assert(shipper.per_producer[i] == LINES_EACH);
        digest ^= producers[i].digest;
    }
    assert(shipper.digest == digest);
    printf("%u batches, at most %u lines under way, digest %08x\n",
           shipper.batches, gatherer.most_under_way, shipper.digest);
    return 0;
}
