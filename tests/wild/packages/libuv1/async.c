// In each round six threads tell a loop, once, that they are done. A handle is closed when the loop has heard of it. The loop
// ends with its last handle, and is closed. So its message is the last that a thread does with the handle and the loop.
#include <assert.h>
#include <uv.h>

enum { ROUNDS = 10, THREADS = 6 };
static uv_async_t handles[THREADS];
static uv_sem_t started[THREADS];

static void heard(uv_async_t* handle) { uv_close((uv_handle_t*)handle, NULL); }

static void tell(void* number) {
  int own = *(int*)number;
  for (int round = 0; round < ROUNDS; ++round) {
    uv_sem_wait(&started[own]);
    uv_async_send(&handles[own]);
  }
}

int main(void) {
  uv_thread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    uv_sem_init(&started[i], 0);
    uv_thread_create(&threads[i], tell, &numbers[i]);
  }
  for (int round = 0; round < ROUNDS; ++round) {
    uv_loop_t loop;
    uv_loop_init(&loop);
    for (int i = 0; i < THREADS; ++i) uv_async_init(&loop, &handles[i], heard);
    for (int i = 0; i < THREADS; ++i) uv_sem_post(&started[i]);
    uv_run(&loop, UV_RUN_DEFAULT);
    int in_use = uv_loop_close(&loop);
    assert(in_use == 0);
  }
  for (int i = 0; i < THREADS; ++i) uv_thread_join(&threads[i]);
}
