// Two connections, which belong to different worker threads, increment one number. None of their increments is lost.
#include <stdlib.h>

#include "client.h"

enum { INCREMENTS = 12 };

static void talk(void) {
  int counters[] = {open_connection(), open_connection()};
  char line[128], requests[INCREMENTS * 16] = "";
  for (int i = 0; i < INCREMENTS; ++i) strcat(requests, "incr n 1\r\n");
  send_text(counters[0], "set n 0 0 1\r\n1\r\n");
  read_lines(counters[0], 1, line, sizeof line);
  for (int i = 0; i < 2; ++i) send_text(counters[i], requests);
  for (int i = 0; i < 2; ++i) read_lines(counters[i], INCREMENTS, line, sizeof line);
  send_text(counters[0], "incr n 0\r\n");
  read_lines(counters[0], 1, line, sizeof line);
  int none_is_lost = atoi(line) == 1 + 2 * INCREMENTS;
  assert(none_is_lost);
}
