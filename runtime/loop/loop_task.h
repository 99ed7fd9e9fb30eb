/*
 * loop_task.h - work that takes long, on a thread beside the loop.
 *
 *     loop_task_start --> thread: run(context) --> loop: ended(context)
 */
#pragma once

#include <pthread.h>

#include "runtime/loop/loop.h"

/* The caller's, until it has ended; then it may be started once more. */
struct loop_task {
    void (*run)(void *context);
    void (*ended)(void *context);
    void *context;
    /* its own */
    pthread_t thread;
    int done; /* the thread's end of a pipe: closed when it is done */
    bool is_running;
};

/* OK: `ended` will be called, on the loop's thread and after this. Else it will not. */
enum status loop_task_start(struct loop *loop, struct loop_task *task, struct error *err);
