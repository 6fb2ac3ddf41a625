// expect: data race
// message: read_name
// message: write_name
// A name is copied while another thread looks for its end.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

char name[64] = "nobody";

size_t read_name(void) { return strlen(name); }

void* write_name(void* text) {
  strcpy(name, text);
  return NULL;
}

int main(void) {
  pthread_t thread;
  char text[32];
  snprintf(text, sizeof text, "somebody %d", 7);
  pthread_create(&thread, NULL, write_name, text);
  const size_t length = read_name();
  pthread_join(thread, NULL);
  return length > 64;
}
