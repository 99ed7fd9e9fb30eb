/*
 * desk.h - a thread that answers requests one after the other, so that who serves browsers never
 * waits for a database.
 *
 *     loop:  desk_put(task) ------> desk thread: work(task) ------> notify, desk_take() :loop
 *                                   and tick() where nobody asks
 *
 * A task belongs to the desk from desk_put, if that is true, to desk_take.
 */
#pragma once

#include "console/request.h"

#define DESK_TASKS_MAX 32 /* waiting tasks */
#define DESK_REPLY_MAX ((size_t)64 << 20)

struct desk_task {
    struct desk_task *next;
    struct console_request request;
    struct text reply;
    int code;         /* the status of HTTP */
    const char *type; /* media type of the reply */
    void *ticket;     /* the caller's */
};

struct desk_calls {
    void *context;
    void (*work)(void *context, struct desk_task *task);
    /* Between tasks while it is wanted (desk_want_ticks); the result: ms until the next. May be
     * NULL. */
    int (*tick)(void *context);
    void (*notify)(void *context); /* something changed; in the desk's thread */
};

struct desk;

/* NULL: no memory, or no thread. */
struct desk *desk_start(const struct desk_calls *calls);
/* Waits for the task that is worked on; tasks that were not taken are freed. */
void desk_stop(struct desk *desk);

/* NULL: no memory. */
struct desk_task *desk_task_new(const struct console_request *request, void *ticket);
void desk_task_free(struct desk_task *task);

/* False: too many wait. */
bool desk_put(struct desk *desk, struct desk_task *task);
/* A task that is answered, for the caller to free; NULL: there is none. */
struct desk_task *desk_take(struct desk *desk);
void desk_want_ticks(struct desk *desk, bool wanted);
