// A client inside memcached's own process, so that one program is the whole test. A thread that starts when the server
// listens (listen() is wrapped by the linker) talks to it over its unix socket. In each round one connection increments a
// number some times, and another deletes it. Connections belong to different worker threads. Once the server has said
// DELETED, and all answers have come, the number must be gone: incr never makes an item.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ROUNDS = 1, INCREMENTS = 6 };

static int open_connection(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, "memcached.sock");
  int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(connection, (struct sockaddr*)&address, sizeof address) != 0) assert(!"the server listens");
  return connection;
}

static void send_text(int connection, const char* text) {
  size_t length = strlen(text);
  while (length > 0) {
    ssize_t sent = write(connection, text, length);
    assert(sent > 0);
    text += sent;
    length -= (size_t)sent;
  }
}

// The last of so many lines of answers.
static void read_lines(int connection, int lines, char* last, size_t size) {
  size_t used = 0;
  while (lines > 0) {
    char c;
    if (read(connection, &c, 1) != 1) assert(!"the server is there");
    if (c == '\n') {
      last[used] = '\0';
      used = 0;
      --lines;
    } else if (used + 1 < size) {
      last[used++] = c;
    }
  }
}

static void* client(void* unused) {
  (void)unused;
  int setter = open_connection(), counter = open_connection(), deleter = open_connection();
  char line[128], requests[INCREMENTS * 16] = "";
  for (int i = 0; i < INCREMENTS; ++i) strcat(requests, "incr n 1\r\n");
  for (int round = 0; round < ROUNDS; ++round) {
    send_text(setter, "set n 0 0 1\r\n1\r\n");
    read_lines(setter, 1, line, sizeof line);
    send_text(counter, requests);
    send_text(deleter, "delete n\r\n");
    read_lines(counter, INCREMENTS, line, sizeof line);
    read_lines(deleter, 1, line, sizeof line);
    assert(strncmp(line, "DELETED", 7) == 0);
    send_text(setter, "get n\r\n");
    read_lines(setter, 1, line, sizeof line);
    int deleted_item_is_gone = strncmp(line, "END", 3) == 0;
    assert(deleted_item_is_gone);
  }
  kill(getpid(), SIGTERM);
  open_connection();  // the main thread looks at the signal's flag after an event
  return NULL;
}

int __real_listen(int server, int backlog);

int __wrap_listen(int server, int backlog) {
  int result = __real_listen(server, backlog);
  pthread_t thread;
  pthread_create(&thread, NULL, client, NULL);
  pthread_detach(thread);
  return result;
}
