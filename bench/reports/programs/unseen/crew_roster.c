/*
 * crew_roster: a small worker crew.  Each worker finds its own record in the
 * roster by its thread id, the way code without a thread argument would.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CREW 4
#define NAME_LEN 16

struct member {
    pthread_t tid;
    char name[NAME_LEN];
    int jobs_done;
    struct member *next;
};

struct roster {
    pthread_mutex_t lock;
    struct member *head;
    int count;
};

static struct roster roster = { PTHREAD_MUTEX_INITIALIZER, NULL, 0 };

static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs_left = 6;

static struct member *member_new(const char *name)
{
    struct member *m = calloc(1, sizeof(*m));

    if (m == NULL)
        abort();
    strncpy(m->name, name, NAME_LEN - 1);
    return m;
}

static void roster_link(struct member *m)
{
    m->next = roster.head;
    roster.head = m;
    roster.count++;
}

static struct member *roster_find(pthread_t tid)
{
    struct member *m;

    pthread_mutex_lock(&roster.lock);
    for (m = roster.head; m != NULL; m = m->next)
        if (pthread_equal(m->tid, tid))
            break;
    pthread_mutex_unlock(&roster.lock);
    return m;
}

static int take_job(void)
{
    int job = 0;

    pthread_mutex_lock(&jobs_lock);
    if (jobs_left > 0)
        job = jobs_left--;
    pthread_mutex_unlock(&jobs_lock);
    return job;
}

static void *crew_main(void *unused)
{
    struct member *self = roster_find(pthread_self());
    int job;

    (void)unused;
    while ((job = take_job()) != 0)
        self->jobs_done++;
    return self->name;
}

static int crew_spawn(const char *name, pthread_t *tid_out)
{
    struct member *m = member_new(name);
    pthread_t tid;

    if (pthread_create(&tid, NULL, crew_main, NULL) != 0) {
        free(m);
        return -1;
    }
    pthread_mutex_lock(&roster.lock);
    m->tid = tid;
    roster_link(m);
    pthread_mutex_unlock(&roster.lock);
    *tid_out = tid;
    return 0;
}

static int roster_clear(void)
{
    int total = 0;

    pthread_mutex_lock(&roster.lock);
    while (roster.head != NULL) {
        struct member *m = roster.head;

        roster.head = m->next;
        total += m->jobs_done;
        free(m);
    }
    roster.count = 0;
    pthread_mutex_unlock(&roster.lock);
    return total;
}

int main(void)
{
    static const char *const names[] = { "alice", "bob" };
    pthread_t tids[MAX_CREW];
    int n = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (crew_spawn(names[i], &tids[n]) == 0)
            n++;
    for (int i = 0; i < n; i++) {
        void *name;

        pthread_join(tids[i], &name);
        printf("%s is done\n", (char *)name);
    }
    printf("%d jobs\n", roster_clear());
    return 0;
}
