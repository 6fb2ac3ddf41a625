// flags: -D_GNU_SOURCE
// clang-format off
// case: print_while_written => data race: #0 fprintf
// case: print_after_join
// case: precision_stops_before
// case: close_while_used => data race: #0
// case: close_after_join
// case: use_after_close => heap use after free: #0 fputs
// case: two_threads_one_stream
// case: locked_stream
// case: counter_without_lock => data race: shared
// case: stream_over_pipe
// case: buffer_over_pipe
// case: buffer_over_socket
// case: sort_while_read => data race: #0 qsort
// case: sort_halves
// case: comparison_races => data race: by_value_and_count
// case: local_time_twice => data race: #0 localtime
// case: local_time_r_twice
// case: environment_while_set => data race: #0 setenv
// case: environment_before_threads
// case: line_buffer_while_read => data race: #0 getdelim
// case: memory_stream => data race: #0 fflush
// case: memory_stream_after_join
// case: scan_into_shared => data race: scanf
// case: scan_stops_before
// case: strtok_twice => data race: #0 strtok
// case: strtok_r_twice
// clang-format on
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

static char text[] = "abracadabra";
static FILE* stream;
static int shared;
static int ends[2];

static void* write_text(void* unused) {
  text[3] = 'z';
  return unused;
}
static void* print_text(void* unused) {
  fprintf(stderr, "%d %s\n", 1, text);
  return unused;
}
static void* print_three(void* unused) {
  fprintf(stderr, "%.3s\n", text);
  return unused;
}
static void both(void* (*a)(void*), void* (*b)(void*)) {
  pthread_t first = start(a, NULL), second = start(b, NULL);
  join(first);
  join(second);
}
static void one_by_one(void* (*a)(void*), void* (*b)(void*)) {
  join(start(a, NULL));
  join(start(b, NULL));
}
static void print_while_written(void) { both(print_text, write_text); }
static void print_after_join(void) { one_by_one(write_text, print_text); }
static void precision_stops_before(void) { both(print_three, write_text); }

// --- a stream's life

static void* put_line(void* unused) {
  fputs(text, stream);
  return unused;
}
static void* close_stream(void* unused) {
  fclose(stream);
  return unused;
}
static void close_while_used(void) {
  // The order in which the program survives: the other one is a use after free.
  stream = fopen("/dev/null", "w");
  both(put_line, close_stream);
}
static void close_after_join(void) {
  stream = fopen("/dev/null", "w");
  one_by_one(put_line, close_stream);
}
static void use_after_close(void) {
  stream = fopen("/dev/null", "w");
  one_by_one(close_stream, put_line);
}
static void* put_lines(void* unused) {
  for (int i = 0; i < 3; ++i) {
    fprintf(stream, "line %d\n", i);
    putc('x', stream);
    fflush(stream);
  }
  return unused;
}
static void two_threads_one_stream(void) {
  stream = fopen("/dev/null", "w");
  both(put_lines, put_lines);
  fclose(stream);
}
static void* count_locked(void* unused) {
  flockfile(stream);
  ++shared;
  fputs_unlocked("counted\n", stream);
  funlockfile(stream);
  return unused;
}
static void locked_stream(void) {
  stream = fopen("/dev/null", "w");
  both(count_locked, count_locked);
  assert(shared == 2);
  fclose(stream);
}
static void* count_printing(void* unused) {
  ++shared;
  fputs("counted\n", stream);
  return unused;
}
static void counter_without_lock(void) {
  stream = fopen("/dev/null", "w");
  both(count_printing, count_printing);
  fclose(stream);
}

// --- what is handed on by a descriptor is ordered by it

static void* send_by_stream(void* unused) {
  FILE* out = fdopen(ends[1], "w");
  fputs(text, out);
  fclose(out);
  return unused;
}
static void* receive_by_stream(void* unused) {
  FILE* in = fdopen(ends[0], "r");
  char line[32];
  assert(fgets(line, sizeof line, in) != NULL);
  text[3] = 'z';
  fclose(in);
  return unused;
}
static void stream_over_pipe(void) {
  assert(pipe(ends) == 0);
  both(receive_by_stream, send_by_stream);
}
static void* send_buffer(void* unused) {
  assert(write(ends[1], text, 4) == 4);
  return unused;
}
static void* receive_buffer(void* unused) {
  char buffer[8];
  assert(read(ends[0], buffer, 4) == 4);
  text[3] = 'z';
  return unused;
}
static void buffer_over_pipe(void) {
  assert(pipe(ends) == 0);
  both(receive_buffer, send_buffer);
}
static void buffer_over_socket(void) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  both(receive_buffer, send_buffer);
}

// --- sorting

static int numbers[] = {4, 3, 2, 1, 8, 7, 6, 5};
static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static int by_value_and_count(const void* a, const void* b) {
  ++shared;
  return by_value(a, b);
}
static void* sort_all(void* unused) {
  qsort(numbers, 8, sizeof *numbers, by_value);
  return unused;
}
static void* sort_first(void* unused) {
  qsort(numbers, 4, sizeof *numbers, by_value);
  return unused;
}
static void* sort_second(void* unused) {
  qsort(numbers + 4, 4, sizeof *numbers, by_value);
  return unused;
}
static void* sort_first_and_count(void* unused) {
  qsort(numbers, 4, sizeof *numbers, by_value_and_count);
  return unused;
}
static void* sort_second_and_count(void* unused) {
  qsort(numbers + 4, 4, sizeof *numbers, by_value_and_count);
  return unused;
}
static void* read_number(void* unused) {
  assert(numbers[7] != 9);
  return unused;
}
static void sort_while_read(void) { both(sort_all, read_number); }
static void sort_halves(void) { both(sort_first, sort_second); }
static void comparison_races(void) { both(sort_first_and_count, sort_second_and_count); }

// --- time, environment

static void* ask_local_time(void* unused) {
  const time_t now = 1000;
  assert(localtime(&now)->tm_year == 70);
  return unused;
}
static void* ask_local_time_r(void* unused) {
  const time_t now = 1000;
  struct tm parts;
  assert(localtime_r(&now, &parts)->tm_year == 70);
  return unused;
}
static void local_time_twice(void) { both(ask_local_time, ask_local_time); }
static void local_time_r_twice(void) { both(ask_local_time_r, ask_local_time_r); }
static void* ask_home(void* unused) {
  getenv("HOME");
  return unused;
}
static void* set_other(void* unused) {
  setenv("OTHER", "value", 1);
  return unused;
}
static void environment_while_set(void) { both(ask_home, set_other); }
static void environment_before_threads(void) {
  setenv("OTHER", "value", 1);
  both(ask_home, ask_home);
}

// --- what libc fills

static char* line;
static size_t room;
static void* get_line(void* unused) {
  getdelim(&line, &room, '\n', stream);
  return unused;
}
static void* read_line(void* unused) {
  assert(line[0] != 'q');
  return unused;
}
static void line_buffer_while_read(void) {
  stream = tmpfile();
  fputs("line\nline\n", stream);
  rewind(stream);
  get_line(NULL);
  both(get_line, read_line);
}
static void* print_to_memory(void* unused) {
  fputs("text", stream);
  fflush(stream);
  return unused;
}
static void* read_size(void* unused) {
  assert(room < 100);
  return unused;
}
static void memory_stream(void) {
  stream = open_memstream(&line, &room);
  both(print_to_memory, read_size);
}
static void memory_stream_after_join(void) {
  stream = open_memstream(&line, &room);
  one_by_one(print_to_memory, read_size);
  fclose(stream);
  free(line);
}
static int first, second;
static void* scan_two(void* unused) {
  sscanf("12 34", "%d %d", &first, &second);
  return unused;
}
static void* scan_one(void* unused) {
  sscanf("12 x", "%d %d", &first, &second);
  return unused;
}
static void* read_second(void* unused) {
  assert(second != 5);
  return unused;
}
static void scan_into_shared(void) { both(scan_two, read_second); }
static void scan_stops_before(void) { both(scan_one, read_second); }

static void* split(void* unused) {
  char own[] = "a,b";
  assert(strtok(own, ",") == own);
  return unused;
}
static void* split_r(void* unused) {
  char own[] = "a,b";
  char* rest = NULL;
  assert(strtok_r(own, ",", &rest) == own);
  return unused;
}
static void strtok_twice(void) { both(split, split); }
static void strtok_r_twice(void) { both(split_r, split_r); }

#define CASE(name) {#name, name}
RUN_CASES(CASE(print_while_written), CASE(print_after_join), CASE(precision_stops_before),
          CASE(close_while_used), CASE(close_after_join), CASE(use_after_close), CASE(two_threads_one_stream),
          CASE(locked_stream), CASE(counter_without_lock), CASE(stream_over_pipe), CASE(buffer_over_pipe),
          CASE(buffer_over_socket), CASE(sort_while_read), CASE(sort_halves), CASE(comparison_races),
          CASE(local_time_twice), CASE(local_time_r_twice), CASE(environment_while_set),
          CASE(environment_before_threads), CASE(line_buffer_while_read), CASE(memory_stream),
          CASE(memory_stream_after_join), CASE(scan_into_shared), CASE(scan_stops_before), CASE(strtok_twice),
          CASE(strtok_r_twice))
