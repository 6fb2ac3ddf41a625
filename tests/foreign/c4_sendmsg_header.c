/* Frames with a live header are sent by one thread; another grants credit. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define FRAMES 2

struct header {
    uint32_t seq;
    uint32_t credit;
};

static struct {
    pthread_mutex_t lock;
    struct header hdr;
    int fd;
} conn = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void send_frame(const char *payload)
{
    struct iovec iov[2];
    struct msghdr msg;

    pthread_mutex_lock(&conn.lock);
    conn.hdr.seq++;
    pthread_mutex_unlock(&conn.lock);

    memset(&msg, 0, sizeof msg);
    iov[0].iov_base = &conn.hdr;
    iov[0].iov_len = sizeof conn.hdr;
    iov[1].iov_base = (void *)payload;
    iov[1].iov_len = strlen(payload) + 1;
    msg.msg_iov = iov;
    msg.msg_iovlen = 2;
    if (sendmsg(conn.fd, &msg, 0) < 0)
        abort();
}

static void *sender(void *arg)
{
    (void)arg;
    for (int i = 0; i < FRAMES; i++) {
        char text[32];
        snprintf(text, sizeof text, "frame %d", i);
        send_frame(text);
    }
    return NULL;
}

static void *granter(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&conn.lock);
        conn.hdr.credit += 8;
        pthread_mutex_unlock(&conn.lock);
    }
    return NULL;
}

int main(void)
{
    int sp[2];
    pthread_t s, g;

    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sp) != 0)
        return 2;
    conn.fd = sp[0];
    if (pthread_create(&s, NULL, sender, NULL) != 0)
        return 2;
    if (pthread_create(&g, NULL, granter, NULL) != 0)
        return 2;

    for (int i = 0; i < FRAMES; i++) {
        char buf[64];
        struct header h;
        ssize_t n = recv(sp[1], buf, sizeof buf, 0);
        if (n < (ssize_t)sizeof h)
            return 3;
        memcpy(&h, buf, sizeof h);
        printf("frame %u: %s\n", h.seq, buf + sizeof h);
    }
    pthread_join(s, NULL);
    pthread_join(g, NULL);
    assert(conn.hdr.seq == FRAMES && conn.hdr.credit == 16);
    close(sp[0]);
    close(sp[1]);
    return 0;
}
