/* Event loop that sleeps in poll() on a pipe.  Other threads hand it jobs
 * and write one byte to wake it; no byte is written while one is already on
 * its way. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLIENTS 2
#define JOBS 30
#define CALL_EVERY 10

struct job {
    struct job *next;
    int client;
    int number;
    int quit;
    int *done; /* set under the loop's lock when a caller waits */
};

struct loop {
    int wake_read, wake_write;
    atomic_int wake_sent;
    pthread_mutex_t lock;
    pthread_cond_t finished;
    struct job *first, **last;
    unsigned wakeups;
    unsigned jobs_run;
    long digest[CLIENTS];
    int next_number[CLIENTS];
};

static void die(const char *what)
{
    perror(what);
    abort();
}

static void loop_init(struct loop *l)
{
    int fds[2];

    memset(l, 0, sizeof *l);
    if (pipe2(fds, O_NONBLOCK | O_CLOEXEC) != 0)
        die("pipe2");
    l->wake_read = fds[0];
    l->wake_write = fds[1];
    atomic_init(&l->wake_sent, 0);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->finished, NULL);
    l->last = &l->first;
}

static void loop_destroy(struct loop *l)
{
    close(l->wake_read);
    close(l->wake_write);
    pthread_cond_destroy(&l->finished);
    pthread_mutex_destroy(&l->lock);
}

static void loop_post(struct loop *l, struct job *j)
{
    j->next = NULL;
    pthread_mutex_lock(&l->lock);
    *l->last = j;
    l->last = &j->next;
    pthread_mutex_unlock(&l->lock);
    if (atomic_exchange(&l->wake_sent, 1) == 0)
        if (write(l->wake_write, "w", 1) != 1)
            die("write");
}

static struct job *loop_take(struct loop *l)
{
    struct job *jobs;

    pthread_mutex_lock(&l->lock);
    jobs = l->first;
    l->first = NULL;
    l->last = &l->first;
    pthread_mutex_unlock(&l->lock);
    return jobs;
}

/* Sleeps until woken and returns the jobs that have come in. */
static struct job *loop_wait(struct loop *l)
{
    struct pollfd p = { l->wake_read, POLLIN, 0 };
    struct job *jobs;
    char bytes[16];

    while (poll(&p, 1, -1) < 0)
        if (errno != EINTR)
            die("poll");
    while (read(l->wake_read, bytes, sizeof bytes) > 0)
        l->wakeups++;
#ifdef CORRECT
    atomic_store(&l->wake_sent, 0);
    jobs = loop_take(l);
#else
    jobs = loop_take(l);
    atomic_store(&l->wake_sent, 0);
#endif
    return jobs;
}

/* Returns 0 for the job that ends the loop. */
static int loop_run_job(struct loop *l, struct job *j)
{
    int *done = j->done;
    int more = !j->quit;

    if (more) {
        assert(j->number == l->next_number[j->client]);
        l->next_number[j->client]++;
        l->digest[j->client] = l->digest[j->client] * 7 % 1000003 + j->number;
        l->jobs_run++;
    }
    free(j);
    if (done != NULL) {
        pthread_mutex_lock(&l->lock);
        *done = 1;
        pthread_cond_broadcast(&l->finished);
        pthread_mutex_unlock(&l->lock);
    }
    return more;
}

static void *loop_main(void *arg)
{
    struct loop *l = arg;
    int more = 1;

    while (more) {
        struct job *jobs = loop_wait(l);

        while (jobs != NULL) {
            struct job *j = jobs;

            jobs = j->next;
            if (!loop_run_job(l, j))
                more = 0;
        }
    }
    return NULL;
}

static struct job *job_new(int client, int number)
{
    struct job *j = calloc(1, sizeof *j);

    if (j == NULL)
        die("calloc");
    j->client = client;
    j->number = number;
    return j;
}

/* Posts the job and waits until the loop has run it. */
static void loop_call(struct loop *l, struct job *j)
{
    int done = 0;

    j->done = &done;
    loop_post(l, j);
    pthread_mutex_lock(&l->lock);
    while (!done)
        pthread_cond_wait(&l->finished, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

struct client {
    struct loop *loop;
    int id;
};

static void *client_main(void *arg)
{
    struct client *c = arg;
    int i;

    for (i = 0; i < JOBS; i++) {
        struct job *j = job_new(c->id, i);

        if (i % CALL_EVERY == CALL_EVERY - 1)
            loop_call(c->loop, j);
        else
            loop_post(c->loop, j);
    }
    return NULL;
}

int main(void)
{
    struct loop loop;
    struct client clients[CLIENTS];
    pthread_t loop_thread, threads[CLIENTS];
    struct job *quit;
    int i;

    loop_init(&loop);
    if (pthread_create(&loop_thread, NULL, loop_main, &loop) != 0)
        die("pthread_create");
    for (i = 0; i < CLIENTS; i++) {
        clients[i].loop = &loop;
        clients[i].id = i;
        if (pthread_create(&threads[i], NULL, client_main, &clients[i]) != 0)
            die("pthread_create");
    }
    for (i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    quit = job_new(0, 0);
    quit->quit = 1;
    loop_post(&loop, quit);
    pthread_join(loop_thread, NULL);

    assert(loop.first == NULL);
    assert(loop.jobs_run == CLIENTS * JOBS);
    for (i = 0; i < CLIENTS; i++)
        assert(loop.next_number[i] == JOBS);
    assert(loop.digest[0] == loop.digest[1]);
    printf("%u jobs in %u wake-ups, digest %ld\n", loop.jobs_run, loop.wakeups,
           loop.digest[0]);
    loop_destroy(&loop);
    return 0;
}
