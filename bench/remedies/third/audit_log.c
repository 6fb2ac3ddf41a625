/* Audit log: callers queue short records, one writer thread formats them
 * into a sink in batches.  Records accepted before log_close() must all be
 * in the sink afterwards. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_MAX 32
#define BATCH_MAX 8
#define RECORD_LEN 48

struct sink {
    pthread_mutex_t lock;
    char *data;
    size_t used, size;
    unsigned lines;
    int open;
};

struct record {
    int source;
    int serial;
    int code;
};

struct audit_log {
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_cond_t room;
    struct record queue[QUEUE_MAX];
    unsigned head, count;
    int closing;
    unsigned refused;
    struct sink sink;
    pthread_t writer;
};

static void sink_open(struct sink *s, size_t size)
{
    pthread_mutex_init(&s->lock, NULL);
    s->data = malloc(size);
    assert(s->data != NULL);
    s->used = 0;
    s->size = size;
    s->lines = 0;
    s->open = 1;
}

/* Returns 0, or -1 when the sink takes no more lines. */
static int sink_line(struct sink *s, const char *line)
{
    size_t n = strlen(line);
    int rc = -1;

    pthread_mutex_lock(&s->lock);
    if (s->open && s->used + n < s->size) {
        memcpy(s->data + s->used, line, n + 1);
        s->used += n;
        s->lines++;
        rc = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static void sink_close(struct sink *s)
{
    pthread_mutex_lock(&s->lock);
    s->open = 0;
    pthread_mutex_unlock(&s->lock);
}

static unsigned checksum(const char *line)
{
    unsigned h = 2166136261u;

    while (*line)
        h = (h ^ (unsigned char)*line++) * 16777619u;
    return h;
}

static void *writer_main(void *arg)
{
    struct audit_log *lg = arg;
    struct record batch[BATCH_MAX];
    unsigned i, n;

    for (;;) {
        pthread_mutex_lock(&lg->lock);
        while (lg->count == 0 && !lg->closing)
            pthread_cond_wait(&lg->more, &lg->lock);
        for (n = 0; n < BATCH_MAX && lg->count > 0; n++) {
            batch[n] = lg->queue[lg->head];
            lg->head = (lg->head + 1) % QUEUE_MAX;
            lg->count--;
        }
        pthread_cond_broadcast(&lg->room);
        pthread_mutex_unlock(&lg->lock);
        if (n == 0)
            return NULL;

        for (i = 0; i < n; i++) {
            char line[RECORD_LEN], full[RECORD_LEN + 16];

            snprintf(line, sizeof line, "src=%d seq=%d code=%d",
                     batch[i].source, batch[i].serial, batch[i].code);
            snprintf(full, sizeof full, "%s #%08x\n", line, checksum(line));
            if (sink_line(&lg->sink, full) != 0)
                lg->refused++;
        }
    }
}

static void log_open(struct audit_log *lg)
{
    memset(lg, 0, sizeof *lg);
    pthread_mutex_init(&lg->lock, NULL);
    pthread_cond_init(&lg->more, NULL);
    pthread_cond_init(&lg->room, NULL);
    sink_open(&lg->sink, 64 * 1024);
    if (pthread_create(&lg->writer, NULL, writer_main, lg) != 0)
        abort();
}

static void log_put(struct audit_log *lg, struct record r)
{
    pthread_mutex_lock(&lg->lock);
    while (lg->count == QUEUE_MAX)
        pthread_cond_wait(&lg->room, &lg->lock);
    lg->queue[(lg->head + lg->count) % QUEUE_MAX] = r;
    lg->count++;
    pthread_cond_signal(&lg->more);
    pthread_mutex_unlock(&lg->lock);
}

/* Waits until the writer has taken all that was queued. */
static void log_sync(struct audit_log *lg)
{
    pthread_mutex_lock(&lg->lock);
    while (lg->count > 0)
        pthread_cond_wait(&lg->room, &lg->lock);
    pthread_mutex_unlock(&lg->lock);
}

static void log_close(struct audit_log *lg)
{
    pthread_mutex_lock(&lg->lock);
    lg->closing = 1;
    pthread_cond_signal(&lg->more);
    pthread_mutex_unlock(&lg->lock);
#ifdef CORRECT
    pthread_join(lg->writer, NULL);
    sink_close(&lg->sink);
#else
    sink_close(&lg->sink);
    pthread_join(lg->writer, NULL);
#endif
}

#define CALLERS 2
#define PER_CALLER 20

struct caller {
    struct audit_log *lg;
    int id;
    int codes;
};

/* Formats and sums lines of its own; callers use it to vary their codes. */
static unsigned self_test(unsigned rounds)
{
    char line[RECORD_LEN];
    unsigned h = 0, i;

    for (i = 0; i < rounds; i++) {
        snprintf(line, sizeof line, "src=%u seq=%u code=%u", i, i * 3, h % 11);
        h ^= checksum(line);
    }
    return h;
}

static void *caller_main(void *arg)
{
    struct caller *c = arg;
    int i;

    for (i = 0; i < PER_CALLER; i++) {
        struct record r = { c->id, i, 0 };

        r.code = (int)(self_test(12 + (unsigned)c->id) % 11u);
        log_put(c->lg, r);
        c->codes += r.code;
    }
    log_sync(c->lg);
    return NULL;
}

/* Reads the log back and checks every line against its checksum. */
static int read_back(const struct sink *s, int next[CALLERS])
{
    const char *p = s->data;
    int codes = 0;

    while (p < s->data + s->used) {
        const char *hash = strchr(p, '#');
        const char *end = strchr(p, '\n');
        char line[RECORD_LEN];
        int src, seq, code;
        unsigned sum;

        assert(hash != NULL && end != NULL && hash < end);
        snprintf(line, sizeof line, "%.*s", (int)(hash - 1 - p), p);
        if (sscanf(p, "src=%d seq=%d code=%d #%x", &src, &seq, &code, &sum) != 4)
            abort();
        assert(src >= 0 && src < CALLERS);
        assert(checksum(line) == sum);
        assert(seq == next[src]);
        next[src]++;
        codes += code;
        p = end + 1;
    }
    return codes;
}

int main(void)
{
    static struct audit_log lg;
    struct caller callers[CALLERS];
    pthread_t threads[CALLERS];
    int next[CALLERS] = { 0 };
    int i, codes = 0;
    unsigned probe;

    log_open(&lg);
    for (i = 0; i < CALLERS; i++) {
        callers[i].lg = &lg;
        callers[i].id = i;
        callers[i].codes = 0;
        if (pthread_create(&threads[i], NULL, caller_main, &callers[i]) != 0)
            abort();
    }
    for (i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        codes += callers[i].codes;
    }
    probe = self_test(100);
    log_close(&lg);

    assert(lg.count == 0);
    assert(lg.refused == 0);
    assert(lg.sink.lines == CALLERS * PER_CALLER);
    assert(read_back(&lg.sink, next) == codes);
    for (i = 0; i < CALLERS; i++)
        assert(next[i] == PER_CALLER);
    printf("%u lines, probe %08x\n", lg.sink.lines, probe);
    free(lg.sink.data);
    return 0;
}
