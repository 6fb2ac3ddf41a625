/* Time stamps and wide strings made in threads, records through a socketpair. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

struct record {
    int source;
    char stamp[32];
    char label[32];
    size_t wide_len;
};

static int sp[2];

static void *stamper(void *arg)
{
    int id = *(int *)arg;
    time_t when = 86400 * (time_t)id + 3600;
    struct tm tm;
    struct record rec;
    wchar_t wide[32], prefix[16];
    const char *env = getenv("STAMP_PREFIX");

    if (env == NULL)
        abort();
    memset(&rec, 0, sizeof rec);
    rec.source = id;
    if (id % 2 == 0)
        gmtime_r(&when, &tm);
    else
        localtime_r(&when, &tm);
    if (strftime(rec.stamp, sizeof rec.stamp, "%Y-%m-%d %H:%M", &tm) == 0)
        abort();

    if (mbstowcs(prefix, env, sizeof prefix / sizeof prefix[0]) == (size_t)-1)
        abort();
    if (swprintf(wide, sizeof wide / sizeof wide[0], L"%ls-%d", prefix, id) < 0)
        abort();
    rec.wide_len = wcslen(wide);
    if (wcstombs(rec.label, wide, sizeof rec.label) == (size_t)-1)
        abort();

    struct iovec iov = { .iov_base = &rec, .iov_len = sizeof rec };
    if (writev(sp[0], &iov, 1) != (ssize_t)sizeof rec)
        abort();
    memset(&rec, 0xff, sizeof rec);
    return NULL;
}

int main(void)
{
    pthread_t tid[2];
    int ids[2] = { 1, 2 };
    int mask = 0;

    /* the environment is complete before the first thread starts */
    setenv("TZ", "UTC0", 1);
    setenv("STAMP_PREFIX", "rec", 1);
    tzset();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sp) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&tid[i], NULL, stamper, &ids[i]) != 0)
            return 2;

    for (int i = 0; i < 2; i++) {
        struct record rec;
        char want[32];
        if (read(sp[1], &rec, sizeof rec) != (ssize_t)sizeof rec)
            return 3;
        mask |= rec.source;
        snprintf(want, sizeof want, "1970-01-%02d 01:00", rec.source + 1);
        assert(strcmp(rec.stamp, want) == 0);
        snprintf(want, sizeof want, "rec-%d", rec.source);
        assert(strcmp(rec.label, want) == 0);
        assert(rec.wide_len == 5);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(tid[i], NULL);
    assert(mask == 3);
    close(sp[0]);
    close(sp[1]);
    puts("stamps ok");
    return 0;
}
