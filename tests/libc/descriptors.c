/* flags: -D_GNU_SOURCE */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "accesses.h"

static int ends[2], sockets[2], datagrams[2], out, waiting;
static void before(void) {
  assert(pipe(ends) == 0 && write(ends[1], "some text that is to be read", 28) == 28);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  assert(write(sockets[1], "some text that is to be received in several pieces", 50) == 50);
  assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams) == 0);
  assert(write(datagrams[1], "text", 4) == 4 && write(datagrams[1], "text", 4) == 4);
  out = datagrams[1];
  waiting = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLOUT};
  epoll_ctl(waiting, EPOLL_CTL_ADD, out, &event);
}
#define PART struct iovec part = {b, 4}
#define MESSAGE               \
  struct iovec part = {b, 4}; \
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1}
#define MESSAGES              \
  struct iovec part = {b, 4}; \
  struct mmsghdr messages = {{.msg_iov = &part, .msg_iovlen = 1}, 0}

/* clang-format off */
WRITES(read, "", sink += read(ends[0], b, 4))
WRITES(readv, "", PART; sink += readv(ends[0], &part, 1))
READS(write, "text", sink += write(ends[1], b, 4))
READS(writev, "text", PART; sink += writev(ends[1], &part, 1))
WRITES(recv, "", sink += recv(sockets[0], b, 4, 0))
WRITES(recvfrom, "", sink += recvfrom(sockets[0], b, 4, 0, NULL, NULL))
WRITES(recvmsg, "", MESSAGE; sink += recvmsg(sockets[0], &message, 0))
WRITES(recvmmsg, "", MESSAGES; sink += recvmmsg(datagrams[0], &messages, 1, 0, NULL))
READS(send, "text", sink += send(sockets[0], b, 4, 0))
READS(sendto, "text", sink += sendto(sockets[0], b, 4, 0, NULL, 0))
READS(sendmsg, "text", MESSAGE; sink += sendmsg(sockets[0], &message, 0))
READS(sendmmsg, "text", MESSAGES; sink += sendmmsg(datagrams[0], &messages, 1, 0))
WRITES(getsockname, "", socklen_t length = 16; getsockname(sockets[0], (struct sockaddr*)b, &length))
WRITES(getsockopt, "", socklen_t length = 4; getsockopt(sockets[0], SOL_SOCKET, SO_TYPE, b, &length))
WRITES(getrandom, "", sink += getrandom(b, 4, 0))
WRITES(getentropy, "", sink += getentropy(b, 4))
WRITES(pipe, "", sink += pipe((int*)b))
WRITES(socketpair, "", sink += socketpair(AF_UNIX, SOCK_STREAM, 0, (int*)b))
READS(poll, "\0\0\0\0", struct pollfd* p = (struct pollfd*)b; sink += poll(p, 1, 0))
WRITES(epoll_wait, "", sink += epoll_wait(waiting, (struct epoll_event*)b, 1, 0))
READS(epoll_ctl, "", sink += epoll_ctl(waiting, EPOLL_CTL_MOD, out, (struct epoll_event*)b))
READS(open, "/tmp", sink += open(b, 0))
READS(unlinkat, "/no/file", sink += unlinkat(AT_FDCWD, b, 0))
READS(renameat, "/no/file", sink += renameat(AT_FDCWD, b, AT_FDCWD, "/no/name"))
READS(link, "/no/file", sink += link(b, "/no/name"))
READS(symlink, "/no/file", sink += symlink(b, "/no/name"))
READS(mkdirat, "/no/file", sink += mkdirat(AT_FDCWD, b, 0700))
READS(fopen, "/proc/version", sink += fopen(b, "r") != NULL)
WRITES(waitpid, "", sink += waitpid(fork() ?: (_exit(0), 0), (int*)b, 0))
/* clang-format on */

int main(int argc, char** argv) { return run_entries(argc, argv); }
