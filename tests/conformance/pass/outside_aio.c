// executions: 100
// Asynchronous I/O: on a pipe that another thread fills, told by waiting, asking and a signal; on a file.
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void* fill(void* unused) {
  assert(write(ends[1], "x", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  char byte = 0;
  struct aiocb request;
  memset(&request, 0, sizeof request);
  request.aio_fildes = ends[0];
  request.aio_buf = &byte;
  request.aio_nbytes = 1;
  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  assert(aio_read(&request) == 0);
  pthread_t other;
  assert(pthread_create(&other, NULL, fill, NULL) == 0);
  const struct aiocb* list[] = {NULL, &request};
  while (aio_suspend(list, 2, NULL) != 0) assert(errno == EINTR);
  assert(aio_error(&request) == 0 && aio_return(&request) == 1 && byte == 'x');
  pthread_join(other, NULL);

  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  char name[] = "/tmp/heddle-aio-XXXXXX";
  request.aio_fildes = mkstemp(name);
  assert(request.aio_fildes >= 0 && unlink(name) == 0);
  request.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
  request.aio_sigevent.sigev_signo = SIGUSR1;
  request.aio_offset = 2;
  assert(aio_write(&request) == 0);
  int got = 0;
  assert(sigwait(&set, &got) == 0 && got == SIGUSR1);
  assert(aio_error(&request) == 0 && aio_return(&request) == 1);
  byte = 0;
  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  assert(aio_read(&request) == 0);
  while (aio_error(&request) == EINPROGRESS) {
  }
  assert(aio_return(&request) == 1 && byte == 'x');
  return 0;
}
