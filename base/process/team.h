/*
 * team.h - a few threads that share the tasks of one call.
 *
 *     team_run: tasks 0 ... count-1 --taken one by one--> members --all done--> return
 *
 * The caller is member 0 and works, too; a call never waits for a member that
 * has not begun, only for tasks that were. Between calls members look for work
 * for some microseconds before they sleep, so that calls which follow each
 * other at once, as the steps of training do, cost less than waking a thread;
 * they look less where other processes want the processor.
 *
 * One call at a time. Members block all signals: these are the process's own.
 */
#pragma once

#include <stdint.h>

#define TEAM_SIZE_MAX 64

struct team;

/* `member` is below team_size(): what a task may index its own space with. */
typedef void team_task(void *context, uint32_t member, uint32_t task);

/* A team of at most `size` members, the caller included; fewer where no more
 * threads can be started. NULL, which is a team of the caller alone, where
 * size is 1 or nothing could be started. */
struct team *team_new(uint32_t size);
void team_free(struct team *team);
uint32_t team_size(const struct team *team);

/* The team where it pays to wake it for a call's tasks, which take so many nanoseconds of one
 * thread together, about; else NULL, the caller alone. */
struct team *team_for(struct team *team, double nanoseconds);

/* Whatever a task wrote is seen by the caller afterwards. */
void team_run(struct team *team, uint32_t count, team_task *task, void *context);
