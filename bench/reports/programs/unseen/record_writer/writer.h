#ifndef RECORD_WRITER_H
#define RECORD_WRITER_H

#include <pthread.h>
#include <stddef.h>

#define WRITER_QUEUE 8
#define RECORD_MAX 32

struct record {
    char text[RECORD_MAX];
    size_t len;
};

struct page {
    size_t capacity;
    size_t used;
    char *data;
};

/* Appends records to an in-memory page on a background thread. */
struct writer {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t pending;
    pthread_cond_t drained;
    struct record queue[WRITER_QUEUE];
    int head;
    int count;
    int closing;
    size_t bytes;
    struct page *page;
};

int writer_open(struct writer *w, size_t page_size);
int writer_append(struct writer *w, const char *text);
void writer_drain(struct writer *w);
size_t writer_close(struct writer *w);

#endif
