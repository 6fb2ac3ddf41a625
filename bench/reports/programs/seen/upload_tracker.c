/*
 * upload_tracker: splits a file into chunks and hands them to a few uploader
 * threads.  A shared tracker collects totals for the progress report.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UPLOADERS 2
#define CHUNKS_PER_UPLOADER 4
#define CHUNK_SIZE 512

struct tracker {
    pthread_mutex_t lock;
    size_t bytes_sent;
    unsigned chunks_sent;
    unsigned retries;
};

struct uploader {
    pthread_t tid;
    int id;
    struct tracker *tracker;
    unsigned char buffer[CHUNK_SIZE];
    unsigned long checksum;
};

static void tracker_init(struct tracker *t)
{
    memset(t, 0, sizeof(*t));
    pthread_mutex_init(&t->lock, NULL);
}

static void tracker_destroy(struct tracker *t)
{
    pthread_mutex_destroy(&t->lock);
}

static void tracker_chunk_done(struct tracker *t, size_t bytes)
{
    pthread_mutex_lock(&t->lock);
    t->bytes_sent += bytes;
    t->chunks_sent++;
    pthread_mutex_unlock(&t->lock);
}

static void tracker_retry(struct tracker *t)
{
    t->retries++;
}

static void fill_chunk(struct uploader *u, int chunk)
{
    for (size_t i = 0; i < sizeof(u->buffer); i++)
        u->buffer[i] = (unsigned char)(u->id * 31 + chunk * 7 + (int)i);
}

/* Returns 0 when the "server" accepted the chunk, -1 to ask for a retry. */
static int send_chunk(struct uploader *u, int chunk, int attempt)
{
    unsigned long sum = 0;

    for (size_t i = 0; i < sizeof(u->buffer); i++)
        sum = sum * 33 + u->buffer[i];
    if (chunk % 2 == 1 && attempt == 0)
        return -1;
    u->checksum ^= sum;
    return 0;
}

static void *uploader_main(void *arg)
{
    struct uploader *u = arg;

    for (int chunk = 0; chunk < CHUNKS_PER_UPLOADER; chunk++) {
        int attempt = 0;

        fill_chunk(u, chunk);
        while (send_chunk(u, chunk, attempt) != 0) {
            tracker_retry(u->tracker);
            attempt++;
        }
        tracker_chunk_done(u->tracker, sizeof(u->buffer));
    }
    return NULL;
}

int main(void)
{
    struct tracker tracker;
    struct uploader uploaders[UPLOADERS];

    tracker_init(&tracker);
    for (int i = 0; i < UPLOADERS; i++) {
        memset(&uploaders[i], 0, sizeof(uploaders[i]));
        uploaders[i].id = i;
        uploaders[i].tracker = &tracker;
        if (pthread_create(&uploaders[i].tid, NULL, uploader_main, &uploaders[i]) != 0) {
            perror("pthread_create");
            return EXIT_FAILURE;
        }
    }
    for (int i = 0; i < UPLOADERS; i++)
        pthread_join(uploaders[i].tid, NULL);

    printf("sent %zu bytes in %u chunks, %u retries\n",
           tracker.bytes_sent, tracker.chunks_sent, tracker.retries);
    tracker_destroy(&tracker);
    return EXIT_SUCCESS;
}
