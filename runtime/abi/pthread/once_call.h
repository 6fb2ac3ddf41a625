#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Calls initialise(); if it does not return, on_unwind(argument) runs on the way out. */
void heddle_call_once(void (*initialise)(void), void (*on_unwind)(void*), void* argument);

#ifdef __cplusplus
}
#endif
