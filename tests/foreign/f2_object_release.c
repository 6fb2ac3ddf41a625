/* An object with its own lock and count; the last user tears it down. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define USERS 3

struct object {
    pthread_mutex_t lock;
    int users;
    int uses;
    int *final_uses;
};

static struct object *object_new(int users, int *final_uses)
{
    struct object *o = malloc(sizeof *o);

    if (o == NULL || pthread_mutex_init(&o->lock, NULL) != 0)
        abort();
    o->users = users;
    o->uses = 0;
    o->final_uses = final_uses;
    return o;
}

static void object_use(struct object *o)
{
    pthread_mutex_lock(&o->lock);
    o->uses++;
    pthread_mutex_unlock(&o->lock);
}

static void object_done(struct object *o)
{
    pthread_mutex_lock(&o->lock);
    if (--o->users > 0) {
        pthread_mutex_unlock(&o->lock);
        return;
    }
    /* nobody else can reach it any more */
    *o->final_uses = o->uses;
    pthread_mutex_unlock(&o->lock);
    if (pthread_mutex_destroy(&o->lock) != 0)
        abort();
    free(o);
}

static void *user(void *arg)
{
    struct object *o = arg;

    object_use(o);
    object_done(o);
    return NULL;
}

int main(void)
{
    pthread_t tid[USERS];
    int final_uses = 0;
    struct object *o = object_new(USERS + 1, &final_uses);

    for (int i = 0; i < USERS; i++)
        if (pthread_create(&tid[i], NULL, user, o) != 0)
            abort();
    object_done(o);
    for (int i = 0; i < USERS; i++)
        pthread_join(tid[i], NULL);
    assert(final_uses == USERS);
    printf("used %d times\n", final_uses);
    return 0;
}
