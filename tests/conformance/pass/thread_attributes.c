// executions: 20
// Names, stacks, scheduling parameters, processor sets: what was set is told back.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void check_own_stack(size_t wanted) {
  pthread_attr_t attributes;
  void* low;
  size_t bytes;
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  assert(pthread_attr_getstack(&attributes, &low, &bytes) == 0);
  char local;
  assert(bytes >= wanted);
  assert(&local > (char*)low && &local < (char*)low + bytes);
  assert(pthread_attr_destroy(&attributes) == 0);
}

static int use_stack(int depth) {
  volatile char room[4096];
  room[0] = (char)depth;
  return depth == 0 ? room[0] : use_stack(depth - 1) + room[0];
}

static void* work(void* argument) {
  const size_t stack = *(size_t*)argument;
  check_own_stack(stack);
  use_stack((int)(stack / 4096 * 3 / 4 / 2));
  char name[16];
  assert(pthread_setname_np(pthread_self(), "worker") == 0);
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "worker") == 0);
  assert(pthread_setname_np(pthread_self(), "a name of more than 15") == ERANGE);
  int policy;
  struct sched_param parameters;
  assert(pthread_getschedparam(pthread_self(), &policy, &parameters) == 0);
  assert(policy == SCHED_OTHER && parameters.sched_priority == 0);
  cpu_set_t set;
  assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_COUNT(&set) > 0);
  const int cpu = sched_getcpu();
  assert(cpu >= 0 && CPU_ISSET(cpu, &set));
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
  assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set));
  CPU_ZERO(&set);
  assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == EINVAL);
  assert(gettid() == gettid() && gettid() != getpid());
  clockid_t clock;
  struct timespec time;
  assert(pthread_getcpuclockid(pthread_self(), &clock) == 0 && clock_gettime(clock, &time) == 0);
  return NULL;
}

int main(void) {
  check_own_stack(1 << 20);
  assert(gettid() == getpid());
  const size_t sizes[] = {64 << 10, 1 << 20, 32 << 20};
  for (int i = 0; i < 3; ++i) {
    pthread_attr_t attributes;
    pthread_t thread;
    size_t told;
    assert(pthread_attr_init(&attributes) == 0);
    assert(pthread_attr_setstacksize(&attributes, sizes[i]) == 0);
    assert(pthread_attr_getstacksize(&attributes, &told) == 0 && told == sizes[i]);
    assert(pthread_attr_setstacksize(&attributes, 1) == EINVAL);
    assert(pthread_create(&thread, &attributes, work, (void*)&sizes[i]) == 0);
    assert(pthread_attr_destroy(&attributes) == 0);
    assert(pthread_join(thread, NULL) == 0);
  }
  pthread_attr_t attributes;
  pthread_t thread;
  int detached;
  size_t stack = 64 << 10;
  assert(pthread_attr_init(&attributes) == 0);
  assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
  assert(pthread_attr_getdetachstate(&attributes, &detached) == 0 && detached == PTHREAD_CREATE_DETACHED);
  assert(pthread_create(&thread, &attributes, work, &stack) == 0);
  pthread_exit(NULL);  // waits for the detached thread; `stack` outlives this frame, since main's stack stays
}
