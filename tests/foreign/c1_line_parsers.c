/* Each thread parses its own copy of a report with the usual libc helpers. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char report[] =
    "node3 17 9\n"
    "node1 4 2\n"
    "node2 11 6\n";

struct entry {
    char name[16];
    int requests;
    int errors;
};

struct result {
    int id;
    size_t count;
    struct entry entries[4];
    int total;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static int key_cmp(const void *key, const void *e)
{
    return strcmp(key, ((const struct entry *)e)->name);
}

static void *parse(void *arg)
{
    struct result *r = arg;
    char *copy = strdup(report);
    char *line = NULL;
    size_t cap = 0;

    if (copy == NULL)
        abort();
    FILE *f = fmemopen(copy, strlen(copy), "r");
    if (f == NULL)
        abort();
    while (r->count < 4 && getline(&line, &cap, f) > 0) {
        struct entry *e = &r->entries[r->count];
        char *save = NULL;
        char *tok = strtok_r(line, " \n", &save);
        if (tok == NULL)
            continue;
        snprintf(e->name, sizeof e->name, "%s", tok);
        tok = strtok_r(NULL, "", &save);
        if (tok == NULL || sscanf(tok, "%d %d", &e->requests, &e->errors) != 2)
            continue;
        r->count++;
    }
    fclose(f);
    free(line);
    free(copy);

    qsort(r->entries, r->count, sizeof r->entries[0], by_name);
    for (size_t i = 0; i < r->count; i++)
        r->total += r->id == 0 ? r->entries[i].requests : r->entries[i].errors;
    /* stdio serialises whole calls on the same stream */
    printf("parser %d: %zu entries\n", r->id, r->count);
    return NULL;
}

int main(void)
{
    pthread_t tid[2];
    struct result res[2];

    memset(res, 0, sizeof res);
    for (int i = 0; i < 2; i++) {
        res[i].id = i;
        if (pthread_create(&tid[i], NULL, parse, &res[i]) != 0)
            abort();
    }
    for (int i = 0; i < 2; i++)
        pthread_join(tid[i], NULL);

    assert(res[0].total == 32 && res[1].total == 17);
    for (int i = 0; i < 2; i++) {
        struct entry *e = bsearch("node2", res[i].entries, res[i].count,
                                  sizeof res[i].entries[0], key_cmp);
        assert(e != NULL && e == &res[i].entries[1]);
    }
    return 0;
}
