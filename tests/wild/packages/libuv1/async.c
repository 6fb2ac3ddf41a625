// Four threads tell the loop of each thing that they have done, each by a handle of its own. The loop closes a handle when it
// has heard of it, and the memory of a closed handle is freed. So its message is the last that a thread does with a handle.
#include <assert.h>
#include <stdlib.h>
#include <uv.h>

enum { THREADS = 4, MESSAGES = 40 };
static uv_loop_t loop;

static void closed(uv_handle_t* handle) { free(handle); }

static void heard(uv_async_t* handle) { uv_close((uv_handle_t*)handle, closed); }

static void tell(void* handles) {
  for (int i = 0; i < MESSAGES; ++i) uv_async_send(((uv_async_t**)handles)[i]);
}

int main(void) {
  uv_thread_t threads[THREADS];
  uv_async_t* handles[THREADS][MESSAGES];
  uv_loop_init(&loop);
  for (int i = 0; i < THREADS; ++i) {
    for (int j = 0; j < MESSAGES; ++j) {
      handles[i][j] = malloc(sizeof *handles[i][j]);
      uv_async_init(&loop, handles[i][j], heard);
    }
  }
  for (int i = 0; i < THREADS; ++i) uv_thread_create(&threads[i], tell, handles[i]);
  uv_run(&loop, UV_RUN_DEFAULT);
  int in_use = uv_loop_close(&loop);
  assert(in_use == 0);
  for (int i = 0; i < THREADS; ++i) uv_thread_join(&threads[i]);
}
