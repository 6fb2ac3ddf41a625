// Two pieces of work that need each other: both wait at a barrier of two. The pool has four threads, so both run at once, and
// the loop ends when both are done.
#include <assert.h>
#include <uv.h>

static uv_barrier_t both;
static int done;

static void work(uv_work_t* request) {
  (void)request;
  uv_barrier_wait(&both);
}

static void after(uv_work_t* request, int status) {
  (void)request;
  assert(status == 0);
  ++done;
}

int main(void) {
  uv_work_t first, second;
  uv_barrier_init(&both, 2);
  uv_loop_t* loop = uv_default_loop();
  uv_queue_work(loop, &first, work, after);
  uv_queue_work(loop, &second, work, after);
  uv_run(loop, UV_RUN_DEFAULT);
  assert(done == 2);
  return uv_loop_close(loop);
}
