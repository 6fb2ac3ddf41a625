// executions: 100
// poll, select and epoll with eventfd and socketpair, with and without timeouts.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <thread>

int shared_data = 0;

int main() {
  const int event = eventfd(0, 0);
  int pair[2];
  assert(event >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);

  pollfd polled[2] = {{event, POLLIN, 0}, {pair[0], POLLIN, 0}};
  assert(poll(polled, 2, 0) == 0);
  assert(poll(polled, 2, 3'600'000) == 0);  // nobody is there: the hour passes at once

  std::thread writer([&] {
    shared_data = 1;
    assert(eventfd_write(event, 3) == 0);
  });
  assert(poll(polled, 2, -1) == 1 && polled[0].revents == POLLIN && polled[1].revents == 0);
  eventfd_t value = 0;
  assert(eventfd_read(event, &value) == 0 && value == 3 && shared_data == 1);
  writer.join();

  const int set = epoll_create1(0);
  epoll_event wanted = {};
  wanted.events = EPOLLIN;
  wanted.data.fd = pair[0];
  assert(epoll_ctl(set, EPOLL_CTL_ADD, pair[0], &wanted) == 0);
  epoll_event got = {};
  assert(epoll_wait(set, &got, 1, 10) == 0);
  std::thread sender([&] {
    shared_data = 2;
    assert(send(pair[1], "ab", 2, 0) == 2);
  });
  assert(epoll_wait(set, &got, 1, -1) == 1 && got.data.fd == pair[0]);
  char text[4];
  assert(recv(pair[0], text, sizeof text, 0) == 2 && shared_data == 2);
  assert(recv(pair[0], text, sizeof text, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  sender.join();

  std::thread closer([&] { assert(shutdown(pair[1], SHUT_WR) == 0); });
  fd_set readable;
  FD_ZERO(&readable);
  FD_SET(event, &readable);
  FD_SET(pair[0], &readable);
  assert(select(pair[0] + event + 1, &readable, nullptr, nullptr, nullptr) == 1 &&
         FD_ISSET(pair[0], &readable) && !FD_ISSET(event, &readable));
  assert(recv(pair[0], text, sizeof text, 0) == 0);
  closer.join();
}
