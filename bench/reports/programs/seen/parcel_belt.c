/* parcel_belt: a short conveyor belt between one loader and two packers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define BELT_SLOTS 1
#define PACKERS 2
#define PARCELS_PER_PACKER 2

struct parcel {
    int number;
    int grams;
};

struct belt {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct parcel slots[BELT_SLOTS];
    int head;
    int used;
};

struct packer {
    pthread_t thread;
    struct belt *belt;
    int packed;
    int grams;
};

static void belt_init(struct belt *b)
{
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->changed, NULL);
    b->head = 0;
    b->used = 0;
}

static void belt_destroy(struct belt *b)
{
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
}

static void belt_put(struct belt *b, struct parcel p)
{
    pthread_mutex_lock(&b->mutex);
    while (b->used == BELT_SLOTS)
        pthread_cond_wait(&b->changed, &b->mutex);
    b->slots[(b->head + b->used) % BELT_SLOTS] = p;
    b->used++;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->mutex);
}

static struct parcel belt_take(struct belt *b)
{
    struct parcel p;

    pthread_mutex_lock(&b->mutex);
    while (b->used == 0)
        pthread_cond_wait(&b->changed, &b->mutex);
    p = b->slots[b->head];
    b->head = (b->head + 1) % BELT_SLOTS;
    b->used--;
    pthread_cond_signal(&b->changed);
    pthread_mutex_unlock(&b->mutex);
    return p;
}

static void *packer_run(void *arg)
{
    struct packer *self = arg;

    for (int i = 0; i < PARCELS_PER_PACKER; i++) {
        struct parcel p = belt_take(self->belt);

        self->packed++;
        self->grams += p.grams;
    }
    return NULL;
}

int main(void)
{
    struct belt belt;
    struct packer packers[PACKERS];
    int packed = 0, grams = 0;

    belt_init(&belt);
    for (int i = 0; i < PACKERS; i++) {
        packers[i].belt = &belt;
        packers[i].packed = 0;
        packers[i].grams = 0;
        if (pthread_create(&packers[i].thread, NULL, packer_run, &packers[i]) != 0)
            abort();
    }

    for (int n = 0; n < PACKERS * PARCELS_PER_PACKER; n++) {
        struct parcel p = { .number = n, .grams = 250 * (n + 1) };

        belt_put(&belt, p);
    }

    for (int i = 0; i < PACKERS; i++) {
        pthread_join(packers[i].thread, NULL);
        packed += packers[i].packed;
        grams += packers[i].grams;
    }
    belt_destroy(&belt);
    printf("%d parcels, %d g\n", packed, grams);
    return packed == PACKERS * PARCELS_PER_PACKER ? EXIT_SUCCESS : EXIT_FAILURE;
}
