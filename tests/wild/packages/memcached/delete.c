// In each round one connection increments a number some times, and another deletes it. Connections belong to different
// worker threads. Once the server has said DELETED, and all answers have come, the number must be gone: incr never makes an
// item.
#include "client.h"

enum { ROUNDS = 8, INCREMENTS = 6 };

static void talk(void) {
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
}
