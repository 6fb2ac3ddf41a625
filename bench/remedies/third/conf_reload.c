/* Rate limiter with live configuration.  Workers keep a private copy of the
 * limits and refresh it when the generation number has moved. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS 2
#define RELOADS 4
#define MAX_RULES 8
#define TURNS 60

struct rule {
    int class_id;
    int limit;
};

struct limits {
    int burst;
    int rule_count;
    struct rule rules[MAX_RULES];
};

struct config {
    pthread_mutex_t lock;
    struct limits current;
    atomic_uint generation;
};

struct worker {
    struct config *cfg;
    struct limits limits;
    unsigned seen;
    unsigned refreshes;
    unsigned accepted, dropped;
    unsigned rng;
};

static struct config config;

/* Parses "burst=9;1:20;2:35". */
static int limits_parse(const char *text, struct limits *out)
{
    int used = 0;

    memset(out, 0, sizeof *out);
    if (sscanf(text, "burst=%d%n", &out->burst, &used) != 1)
        return -1;
    text += used;
    while (*text == ';' && out->rule_count < MAX_RULES) {
        struct rule *r = &out->rules[out->rule_count];

        if (sscanf(text, ";%d:%d%n", &r->class_id, &r->limit, &used) != 2)
            return -1;
        out->rule_count++;
        text += used;
    }
    return *text == '\0' ? 0 : -1;
}

static void config_apply(struct config *c, const struct limits *next)
{
    pthread_mutex_lock(&c->lock);
    c->current = *next;
    pthread_mutex_unlock(&c->lock);
}

static int config_reload(struct config *c, const char *text)
{
    struct limits next;

#ifdef CORRECT
    if (limits_parse(text, &next) != 0)
        return -1;
    config_apply(c, &next);
    atomic_fetch_add(&c->generation, 1);
#else
    atomic_fetch_add(&c->generation, 1);
    if (limits_parse(text, &next) != 0)
        return -1;
    config_apply(c, &next);
#endif
    return 0;
}

static void worker_refresh(struct worker *w)
{
    unsigned gen = atomic_load(&w->cfg->generation);

    if (gen == w->seen)
        return;
    pthread_mutex_lock(&w->cfg->lock);
    w->limits = w->cfg->current;
    pthread_mutex_unlock(&w->cfg->lock);
    w->seen = gen;
    w->refreshes++;
}

static int limit_of(const struct limits *l, int class_id)
{
    int i;

    for (i = 0; i < l->rule_count; i++)
        if (l->rules[i].class_id == class_id)
            return l->rules[i].limit;
    return l->burst;
}

static void worker_request(struct worker *w)
{
    int class_id, cost;

    w->rng = w->rng * 1664525u + 1013904223u;
    class_id = (int)((w->rng >> 20) % 5u);
    cost = (int)((w->rng >> 8) % 40u);
    if (cost <= limit_of(&w->limits, class_id))
        w->accepted++;
    else
        w->dropped++;
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    int turn, i;

    for (turn = 0; turn < TURNS; turn++) {
        worker_refresh(w);
        for (i = 0; i < 16; i++)
            worker_request(w);
    }
    return NULL;
}

static void *reload_main(void *arg)
{
    struct config *c = arg;
    char text[64];
    int i;

    for (i = 1; i <= RELOADS; i++) {
        snprintf(text, sizeof text, "burst=%d;1:%d;2:%d;3:%d", 5 + i, 10 * i,
                 12 * i, 8 + i);
        if (config_reload(c, text) != 0)
            abort();
    }
    return NULL;
}

int main(void)
{
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS], reloader;
    int i;

    pthread_mutex_init(&config.lock, NULL);
    if (config_reload(&config, "burst=5;1:3;2:4") != 0)
        abort();

    for (i = 0; i < WORKERS; i++) {
        memset(&workers[i], 0, sizeof workers[i]);
        workers[i].cfg = &config;
        workers[i].rng = 77u + (unsigned)i;
        if (pthread_create(&threads[i], NULL, worker_main, &workers[i]) != 0)
            abort();
    }
    if (pthread_create(&reloader, NULL, reload_main, &config) != 0)
        abort();
    pthread_join(reloader, NULL);
    for (i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);

    assert(atomic_load(&config.generation) == RELOADS + 1);
    for (i = 0; i < WORKERS; i++) {
        worker_refresh(&workers[i]);
        assert(workers[i].refreshes >= 1);
        assert(workers[i].seen == RELOADS + 1);
        assert(workers[i].limits.burst == config.current.burst);
        assert(workers[i].limits.rule_count == config.current.rule_count);
        assert(limit_of(&workers[i].limits, 1) == 10 * RELOADS);
        printf("worker %d: %u accepted, %u dropped\n", i, workers[i].accepted,
               workers[i].dropped);
    }
    return 0;
}
