/*
 * gyro_mailbox: the sampling thread leaves the newest gyroscope reading in a
 * mailbox for the control loop.  Sequence 0 means that nothing arrived yet.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define READINGS 4
#define POLLS 8

struct reading {
    int roll;
    int pitch;
    int yaw;
};

struct mailbox {
    struct reading slots[READINGS];
    atomic_uint sequence;
};

struct sampler {
    struct mailbox *box;
    int phase;
};

struct control {
    struct mailbox *box;
    unsigned seen;
    long correction;
};

static void mailbox_init(struct mailbox *box)
{
    for (int i = 0; i < READINGS; i++)
        box->slots[i] = (struct reading){ 0, 0, 0 };
    atomic_init(&box->sequence, 0);
}

/* Every reading gets its own slot, the sequence number tells how many are valid. */
static void mailbox_post(struct mailbox *box, struct reading r)
{
    unsigned n = atomic_load_explicit(&box->sequence, memory_order_relaxed);

    box->slots[n % READINGS] = r;
    atomic_store_explicit(&box->sequence, n + 1, memory_order_release);
}

static int mailbox_latest(struct mailbox *box, unsigned *seen, struct reading *out)
{
    unsigned n = atomic_load_explicit(&box->sequence, memory_order_relaxed);

    if (n == *seen)
        return 0;
    *out = box->slots[(n - 1) % READINGS];
    *seen = n;
    return 1;
}

static struct reading sample_gyro(int phase, int i)
{
    struct reading r = { phase + i, phase - i, 2 * i };

    return r;
}

static void *sampler_main(void *arg)
{
    struct sampler *s = arg;

    for (int i = 0; i < READINGS; i++)
        mailbox_post(s->box, sample_gyro(s->phase, i));
    return NULL;
}

static void *control_main(void *arg)
{
    struct control *c = arg;
    struct reading r;

    for (int i = 0; i < POLLS; i++) {
        if (mailbox_latest(c->box, &c->seen, &r))
            c->correction += r.roll - r.pitch + r.yaw;
        else
            sched_yield();
    }
    return NULL;
}

int main(void)
{
    struct mailbox box;
    struct sampler sampler = { &box, 10 };
    struct control control = { &box, 0, 0 };
    pthread_t sampling, controlling;

    mailbox_init(&box);
    if (pthread_create(&sampling, NULL, sampler_main, &sampler) != 0 ||
        pthread_create(&controlling, NULL, control_main, &control) != 0)
        abort();
    pthread_join(sampling, NULL);
    pthread_join(controlling, NULL);

    printf("saw sequence %u, correction %ld\n", control.seen, control.correction);
    return control.seen <= READINGS ? EXIT_SUCCESS : EXIT_FAILURE;
}
