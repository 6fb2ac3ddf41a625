/* A client of a service that speaks in lines: a thread reads what comes over the socket and counts the lines. Closing
 * the client shuts the socket down, which ends the thread's reading, closes it and waits for the thread. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#define MAX_LINE 32

struct client {
  int fd;
  pthread_t reader;
  int lines; /* by the reader; by others after it has ended */
  int overlong;
  char partial[MAX_LINE];
  size_t length;
};

static void client_take(struct client* client, const char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (bytes[i] == '\n') {
      ++client->lines;
      client->length = 0;
    } else if (client->length < MAX_LINE) {
      client->partial[client->length++] = bytes[i];
    } else {
      ++client->overlong;
    }
  }
}

static void* client_read(void* argument) {
  struct client* const client = argument;
  char bytes[16];
  for (;;) {
    const ssize_t size = read(client->fd, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    assert(size >= 0);
    if (size <= 0) return NULL;
    client_take(client, bytes, (size_t)size);
  }
}

static void client_open(struct client* client, int fd) {
  memset(client, 0, sizeof *client);
  client->fd = fd;
  if (pthread_create(&client->reader, NULL, client_read, client) != 0) abort();
}

static void client_close(struct client* client) {
  shutdown(client->fd, SHUT_RDWR);
#ifndef CORRECT
  close(client->fd);
  pthread_join(client->reader, NULL);
#else
  pthread_join(client->reader, NULL);
  close(client->fd);
#endif
}

static void say(int fd, const char* text) {
  const ssize_t size = send(fd, text, strlen(text), MSG_NOSIGNAL);
  assert(size == (ssize_t)strlen(text));
  (void)size;
}

int main(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
  static struct client client;
  client_open(&client, ends[0]);
  say(ends[1], "200 ready\n");
  say(ends[1], "201 status: ok\n");
  client_close(&client);
  close(ends[1]);
  assert(client.lines <= 2);
  assert(client.overlong == 0);
  return 0;
}
