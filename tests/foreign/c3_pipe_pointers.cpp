// Heap messages whose addresses travel through a pipe, answers through a socketpair.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <sys/socket.h>
#include <unistd.h>

namespace {

struct Message {
    int sender;
    char text[24];
};

void write_all(int fd, const void* p, std::size_t n)
{
    const char* c = static_cast<const char*>(p);
    while (n > 0) {
        ssize_t k = ::write(fd, c, n);
        if (k <= 0)
            std::abort();
        c += k;
        n -= static_cast<std::size_t>(k);
    }
}

// false at end of file
bool read_all(int fd, void* p, std::size_t n)
{
    char* c = static_cast<char*>(p);
    while (n > 0) {
        ssize_t k = ::read(fd, c, n);
        if (k < 0)
            std::abort();
        if (k == 0)
            return false;
        c += k;
        n -= static_cast<std::size_t>(k);
    }
    return true;
}

void producer(int fd, int id)
{
    for (int i = 0; i < 2; ++i) {
        auto* m = static_cast<Message*>(std::malloc(sizeof(Message)));
        if (!m)
            std::abort();
        m->sender = id;
        std::snprintf(m->text, sizeof m->text, "msg %d from %d", i, id);
        // A pointer is far below PIPE_BUF, so the writes never interleave.
        write_all(fd, &m, sizeof m);
    }
}

struct Summary {
    int count;
    int senders;
    std::size_t bytes;
};

void consumer(int in, int out)
{
    auto* s = new Summary{0, 0, 0};
    Message* m;
    while (read_all(in, &m, sizeof m)) {
        s->count++;
        s->senders += m->sender;
        s->bytes += std::strlen(m->text);
        m->text[0] = '\0';
        std::free(m);
    }
    write_all(out, &s, sizeof s);
}

} // namespace

int main()
{
    int p[2], sp[2];
    if (::pipe(p) != 0 || ::socketpair(AF_UNIX, SOCK_STREAM, 0, sp) != 0)
        return 2;

    std::thread c(consumer, p[0], sp[1]);
    std::thread a(producer, p[1], 1);
    std::thread b(producer, p[1], 2);
    a.join();
    b.join();
    ::close(p[1]);

    // The answer may be used as soon as it has arrived, before the join.
    Summary* s = nullptr;
    if (!read_all(sp[0], &s, sizeof s))
        return 3;
    assert(s->count == 4 && s->senders == 6 && s->bytes == 4 * 12);
    std::printf("%d messages, %zu bytes\n", s->count, s->bytes);
    delete s;

    c.join();
    ::close(p[0]);
    ::close(sp[0]);
    ::close(sp[1]);
    return 0;
}
