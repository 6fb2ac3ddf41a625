// libc's own functions, behind our interposers of the same names.
#pragma once

#include <pthread.h>
#include <time.h>

namespace heddle::sched {

int real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                        void* argument);
int real_pthread_join(pthread_t thread, void** result);
int real_clock_gettime(clockid_t clock, timespec* time);  // mostly no system call

}  // namespace heddle::sched
