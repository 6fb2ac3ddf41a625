/* A status line that workers refresh and a reporter prints now and then. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 96

static pthread_mutex_t status_lock = PTHREAD_MUTEX_INITIALIZER;
static char status[LINE];
static int jobs_done;

static void status_update(const char *who)
{
    pthread_mutex_lock(&status_lock);
    jobs_done++;
    snprintf(status, sizeof status, "%s finished job %d", who, jobs_done);
    pthread_mutex_unlock(&status_lock);
}

/* The caller gets a private copy which it may keep. */
static void status_copy(char *dst)
{
    strcpy(dst, status);
}

static int status_jobs(void)
{
    pthread_mutex_lock(&status_lock);
    int n = jobs_done;
    pthread_mutex_unlock(&status_lock);
    return n;
}

static void *worker(void *arg)
{
    const char *name = arg;

    for (int i = 0; i < 2; i++)
        status_update(name);
    return NULL;
}

static void *reporter(void *arg)
{
    size_t *longest = arg;
    char mine[LINE];

    for (int i = 0; i < 2; i++) {
        if (status_jobs() < 0)
            abort();
        status_copy(mine);
        size_t n = strlen(mine);
        if (n > *longest)
            *longest = n;
    }
    return NULL;
}

int main(void)
{
    pthread_t w, r;
    size_t longest = 0;
    char name[] = "indexer";

    if (pthread_create(&w, NULL, worker, name) != 0)
        return 2;
    if (pthread_create(&r, NULL, reporter, &longest) != 0)
        return 2;
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    printf("%s (%s)\n", status, longest ? "seen" : "not seen");
    return 0;
}
