/* Interned names behind a read-write lock: mostly reads, seldom inserts. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 8

static struct {
    pthread_rwlock_t lock;
    const char *names[MAX_NAMES];
    int count;
} tab = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static int find(const char *name)
{
    for (int i = 0; i < tab.count; i++)
        if (strcmp(tab.names[i], name) == 0)
            return i;
    return -1;
}

/* Called at start-up by the loader. */
static void preload(const char *name)
{
    pthread_rwlock_wrlock(&tab.lock);
    if (find(name) < 0) {
        if (tab.count == MAX_NAMES)
            abort();
        tab.names[tab.count++] = name;
    }
    pthread_rwlock_unlock(&tab.lock);
}

static int intern(const char *name)
{
    pthread_rwlock_rdlock(&tab.lock);
    int id = find(name);
    if (id < 0) {
        pthread_rwlock_wrlock(&tab.lock);
        id = find(name);
        if (id < 0) {
            if (tab.count == MAX_NAMES)
                abort();
            id = tab.count;
            tab.names[tab.count++] = name;
        }
        pthread_rwlock_unlock(&tab.lock);
        return id;
    }
    pthread_rwlock_unlock(&tab.lock);
    return id;
}

static void *loader(void *arg)
{
    (void)arg;
    preload("beta");
    preload("gamma");
    return NULL;
}

static void *user(void *arg)
{
    *(int *)arg = intern("gamma");
    return NULL;
}

int main(void)
{
    pthread_t l, u;
    int id = -1;

    preload("alpha");
    if (pthread_create(&l, NULL, loader, NULL) != 0)
        return 2;
    if (pthread_create(&u, NULL, user, &id) != 0)
        return 2;
    pthread_join(l, NULL);
    pthread_join(u, NULL);
    assert(id >= 0 && strcmp(tab.names[id], "gamma") == 0);
    printf("%d names\n", tab.count);
    return 0;
}
