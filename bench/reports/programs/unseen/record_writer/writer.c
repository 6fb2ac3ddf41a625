#include "writer.h"

#include <stdlib.h>
#include <string.h>

static struct page *page_new(size_t capacity)
{
    struct page *p = malloc(sizeof(*p));

    if (p == NULL)
        return NULL;
    p->data = malloc(capacity);
    if (p->data == NULL) {
        free(p);
        return NULL;
    }
    p->capacity = capacity;
    p->used = 0;
    return p;
}

static void page_free(struct page *p)
{
    free(p->data);
    free(p);
}

static size_t page_append(struct page *p, const char *src, size_t len)
{
    if (p->used + len > p->capacity)
        p->used = 0;
    memcpy(p->data + p->used, src, len);
    p->used += len;
    return len;
}

static void *writer_main(void *arg)
{
    struct writer *w = arg;

    for (;;) {
        struct record r;

        pthread_mutex_lock(&w->mutex);
        while (w->count == 0 && !w->closing)
            pthread_cond_wait(&w->pending, &w->mutex);
        if (w->count == 0) {
            pthread_mutex_unlock(&w->mutex);
            return NULL;
        }
        r = w->queue[w->head];
        w->head = (w->head + 1) % WRITER_QUEUE;
        if (--w->count == 0)
            pthread_cond_broadcast(&w->drained);
        pthread_mutex_unlock(&w->mutex);

        w->bytes += page_append(w->page, r.text, r.len);
    }
}

int writer_open(struct writer *w, size_t page_size)
{
    memset(w, 0, sizeof(*w));
    w->page = page_new(page_size);
    if (w->page == NULL)
        return -1;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->pending, NULL);
    pthread_cond_init(&w->drained, NULL);
    if (pthread_create(&w->thread, NULL, writer_main, w) != 0) {
        page_free(w->page);
        return -1;
    }
    return 0;
}

int writer_append(struct writer *w, const char *text)
{
    int rc = -1;

    pthread_mutex_lock(&w->mutex);
    if (w->count < WRITER_QUEUE && !w->closing) {
        struct record *r = &w->queue[(w->head + w->count) % WRITER_QUEUE];

        r->len = strlen(text);
        if (r->len > RECORD_MAX)
            r->len = RECORD_MAX;
        memcpy(r->text, text, r->len);
        w->count++;
        rc = 0;
        pthread_cond_signal(&w->pending);
    }
    pthread_mutex_unlock(&w->mutex);
    return rc;
}

void writer_drain(struct writer *w)
{
    pthread_mutex_lock(&w->mutex);
    while (w->count > 0)
        pthread_cond_wait(&w->drained, &w->mutex);
    pthread_mutex_unlock(&w->mutex);
}

size_t writer_close(struct writer *w)
{
    size_t total;

    writer_drain(w);
    pthread_mutex_lock(&w->mutex);
    w->closing = 1;
    pthread_cond_signal(&w->pending);
    pthread_mutex_unlock(&w->mutex);

    page_free(w->page);
    pthread_join(w->thread, NULL);
    total = w->bytes;

    pthread_cond_destroy(&w->drained);
    pthread_cond_destroy(&w->pending);
    pthread_mutex_destroy(&w->mutex);
    return total;
}
