/*
 * thread.h - threads beside the one that takes a process' signals.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Runs `run` with all signals blocked, so that they go to the thread that starts it. False: the
 * system gives no thread. */
bool thread_start(pthread_t *thread, void *(*run)(void *), void *argument);
/* Until `changed` is signalled, and for `ms` at most; as with pthread_cond_wait the caller holds
 * `lock`, and looks again at what it waits for. */
void thread_wait(pthread_cond_t *changed, pthread_mutex_t *lock, int ms);
