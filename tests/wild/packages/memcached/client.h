// A client inside memcached's own process, so that one program is the whole test. A thread that starts when the server
// listens (listen() is wrapped by the linker) runs talk(), which is another file's, and then ends the server.
#pragma once
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static bool connects(int connection) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, "memcached.sock");
  return connect(connection, (struct sockaddr*)&address, sizeof address) == 0;
}

static int open_connection(void) {
  int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  bool server_listens = connects(connection);
  assert(server_listens);
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

static void talk(void);

static void* client(void* unused) {
  (void)unused;
  talk();
  kill(getpid(), SIGTERM);
  // The main thread looks at the signal's flag after an event. It may have ended before.
  connects(socket(AF_UNIX, SOCK_STREAM, 0));
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
