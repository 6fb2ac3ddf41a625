// A server with a service at /greet, and its client in a thread of the same process. The server's owner takes the handler of
// the service away while the client asks, and frees the service then: no request uses a handler that was taken away.
#include <assert.h>
#include <civetweb.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct service {
  char* greeting;
};

static sem_t asked;

static int greet(struct mg_connection* connection, void* data) {
  struct service* service = data;
  mg_send_http_ok(connection, "text/plain", (long long)strlen(service->greeting));
  mg_write(connection, service->greeting, strlen(service->greeting));
  return 200;
}

static void* client(void* unused) {
  (void)unused;
  static const char request[] = "GET /greet HTTP/1.0\r\n\r\n";
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, "civetweb.sock");
  int connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(connection, (struct sockaddr*)&address, sizeof address) != 0) assert(!"the server listens");
  ssize_t sent = write(connection, request, sizeof request - 1);
  assert(sent == sizeof request - 1);
  sem_post(&asked);
  char answer[256];
  while (read(connection, answer, sizeof answer) > 0) {
  }
  close(connection);
  return NULL;
}

int main(void) {
  static const char* options[] = {"listening_ports", "xcivetweb.sock", "num_threads", "1", NULL};
  struct mg_callbacks callbacks = {0};
  unlink("civetweb.sock");  // of a server that did not stop
  mg_init_library(0);
  struct mg_context* server = mg_start(&callbacks, NULL, options);
  assert(server);
  struct service* service = malloc(sizeof *service);
  service->greeting = strdup("good day");
  mg_set_request_handler(server, "/greet", greet, service);

  pthread_t thread;
  sem_init(&asked, 0, 0);
  pthread_create(&thread, NULL, client, NULL);
  sem_wait(&asked);
  mg_set_request_handler(server, "/greet", NULL, NULL);
  free(service->greeting);
  free(service);

  pthread_join(thread, NULL);
  mg_stop(server);
  mg_exit_library();
}
