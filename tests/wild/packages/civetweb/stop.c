// A server that is started and stopped at once. mg_stop returns when all its threads have ended.
#include <assert.h>
#include <civetweb.h>
#include <stddef.h>
#include <unistd.h>

int main(void) {
  static const char* options[] = {"listening_ports", "xcivetweb.sock", "num_threads", "8", NULL};
  struct mg_callbacks callbacks = {0};
  unlink("civetweb.sock");  // of a server that did not stop
  mg_init_library(0);
  struct mg_context* server = mg_start(&callbacks, NULL, options);
  assert(server);
  mg_stop(server);
  mg_exit_library();
}
