// libc's own thread functions, behind our interposers of the same names.
#pragma once

#include <pthread.h>

namespace heddle::sched {

int real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                        void* argument);
int real_pthread_join(pthread_t thread, void** result);

}  // namespace heddle::sched
