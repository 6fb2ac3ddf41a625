/*
 * copy_station: a multi-function office device.  Each unit of the device can
 * be used by one job at a time; jobs that need two units hold both.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct unit {
    const char *label;
    pthread_mutex_t busy;
    int pages;
};

struct station {
    struct unit scanner;
    struct unit printer;
    struct unit modem;
};

struct job {
    struct station *station;
    int pages;
    int finished;
};

static void unit_init(struct unit *u, const char *label)
{
    u->label = label;
    u->pages = 0;
    pthread_mutex_init(&u->busy, NULL);
}

static void unit_acquire(struct unit *u)
{
    if (pthread_mutex_lock(&u->busy) != 0)
        abort();
}

static void unit_release(struct unit *u)
{
    if (pthread_mutex_unlock(&u->busy) != 0)
        abort();
}

static void transfer(struct unit *from, struct unit *to, int pages)
{
    for (int p = 0; p < pages; p++) {
        from->pages++;
        to->pages++;
    }
}

/* Photocopy: paper from the scanner goes straight to the printer. */
static void *copy_job(void *arg)
{
    struct job *j = arg;
    struct station *st = j->station;

    unit_acquire(&st->scanner);
    unit_acquire(&st->printer);
    transfer(&st->scanner, &st->printer, j->pages);
    unit_release(&st->printer);
    unit_release(&st->scanner);
    j->finished = 1;
    return NULL;
}

/* Incoming fax: reserve paper first, then pull the pages from the line. */
static void *receive_fax_job(void *arg)
{
    struct job *j = arg;
    struct station *st = j->station;

    unit_acquire(&st->printer);
    unit_acquire(&st->modem);
    transfer(&st->modem, &st->printer, j->pages);
    unit_release(&st->modem);
    unit_release(&st->printer);
    j->finished = 1;
    return NULL;
}

/* Outgoing fax: dial, and scan the pages once the line is up. */
static void *send_fax_job(void *arg)
{
    struct job *j = arg;
    struct station *st = j->station;

    unit_acquire(&st->modem);
    unit_acquire(&st->scanner);
    transfer(&st->scanner, &st->modem, j->pages);
    unit_release(&st->scanner);
    unit_release(&st->modem);
    j->finished = 1;
    return NULL;
}

int main(void)
{
    static void *(*const entry[])(void *) = { copy_job, receive_fax_job, send_fax_job };
    struct station st;
    struct job jobs[3];
    pthread_t threads[3];
    int finished = 0;

    unit_init(&st.scanner, "scanner");
    unit_init(&st.printer, "printer");
    unit_init(&st.modem, "modem");

    for (int i = 0; i < 3; i++) {
        jobs[i].station = &st;
        jobs[i].pages = i + 1;
        jobs[i].finished = 0;
        if (pthread_create(&threads[i], NULL, entry[i], &jobs[i]) != 0)
            abort();
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        finished += jobs[i].finished;
    }

    const struct unit *units[] = { &st.scanner, &st.printer, &st.modem };
    for (int i = 0; i < 3; i++)
        printf("%-8s %d pages\n", units[i]->label, units[i]->pages);
    return finished == 3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
