/* A table that grows by realloc in one phase and is used in place later. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3
#define PER_THREAD 2

struct row {
    int owner;
    int value;
    int *cells;
};

static struct {
    pthread_mutex_t lock;
    struct row *rows;
    size_t used, cap;
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static pthread_barrier_t phase;
static long sums[THREADS];

static void append(int owner, int value)
{
    int *cells = calloc(2, sizeof *cells);

    if (cells == NULL)
        abort();
    pthread_mutex_lock(&table.lock);
    if (table.used == table.cap) {
        size_t cap = table.cap ? table.cap * 2 : 1;
        struct row *r = realloc(table.rows, cap * sizeof *r);
        if (r == NULL)
            abort();
        table.rows = r;
        table.cap = cap;
    }
    table.rows[table.used].owner = owner;
    table.rows[table.used].value = value;
    table.rows[table.used].cells = cells;
    table.used++;
    pthread_mutex_unlock(&table.lock);
}

static void *worker(void *arg)
{
    int id = (int)(long)arg;

    /* phase 1: everybody appends */
    for (int i = 0; i < PER_THREAD; i++)
        append(id, 10 * id + i);

    /* one thread, no matter which, trims the table between two barriers */
    if (pthread_barrier_wait(&phase) == PTHREAD_BARRIER_SERIAL_THREAD) {
        struct row *r = realloc(table.rows, table.used * sizeof *r);
        if (r != NULL) {
            table.rows = r;
            table.cap = table.used;
        }
    }
    pthread_barrier_wait(&phase);

    /* phase 2: everybody writes the cells of its own rows only */
    for (size_t i = 0; i < table.used; i++)
        if (table.rows[i].owner == id)
            table.rows[i].cells[1] = table.rows[i].value + 1;
    pthread_barrier_wait(&phase);

    /* phase 3: everybody reads everything */
    for (size_t i = 0; i < table.used; i++)
        sums[id] += table.rows[i].cells[0] + table.rows[i].cells[1];
    return NULL;
}

int main(void)
{
    pthread_t tid[THREADS];

    pthread_barrier_init(&phase, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&tid[i], NULL, worker, (void *)i) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(tid[i], NULL);
    pthread_barrier_destroy(&phase);

    assert(table.used == THREADS * PER_THREAD);
    assert(sums[0] == sums[1] && sums[1] == sums[2]);
    printf("sum %ld\n", sums[0]);
    for (size_t i = 0; i < table.used; i++)
        free(table.rows[i].cells);
    free(table.rows);
    return 0;
}
