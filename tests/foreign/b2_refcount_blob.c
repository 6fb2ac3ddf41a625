/* A blob shared by several owners; whoever lets go last checks and frees it. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWNERS 3

struct blob {
    atomic_int refs;
    int *checksum_out;
    size_t len;
    unsigned char bytes[];
};

static struct blob *blob_new(size_t len, int *out)
{
    struct blob *b = calloc(1, sizeof *b + len);

    if (b == NULL)
        abort();
    atomic_init(&b->refs, 1);
    b->len = len;
    b->checksum_out = out;
    return b;
}

static struct blob *blob_get(struct blob *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

static void blob_put(struct blob *b)
{
    if (atomic_fetch_sub_explicit(&b->refs, 1, memory_order_release) != 1)
        return;
    atomic_thread_fence(memory_order_acquire);
    int sum = 0;
    for (size_t i = 0; i < b->len; i++)
        sum += b->bytes[i];
    *b->checksum_out = sum;
    memset(b->bytes, 0xee, b->len);
    free(b);
}

struct job {
    struct blob *blob;
    int slot;
};

static void *fill(void *arg)
{
    struct job *j = arg;
    struct blob *b = j->blob;
    int slot = j->slot;

    free(j);
    b->bytes[slot] = (unsigned char)(slot + 1);
    blob_put(b);
    return NULL;
}

int main(void)
{
    pthread_t tid[OWNERS];
    int checksum = -1;
    struct blob *b = blob_new(OWNERS, &checksum);

    for (int i = 0; i < OWNERS; i++) {
        struct job *j = malloc(sizeof *j);
        if (j == NULL)
            abort();
        j->blob = blob_get(b);
        j->slot = i;
        if (pthread_create(&tid[i], NULL, fill, j) != 0)
            abort();
    }
    blob_put(b);
    for (int i = 0; i < OWNERS; i++)
        pthread_join(tid[i], NULL);
    assert(checksum == 6);
    printf("checksum %d\n", checksum);
    return 0;
}
