/*
 * slots.h - a broker that shares a machine's slots among several jobs.
 *
 *     job --"job ID" once, "slots WANTED USED" after every change--> broker
 *         <--"slots N": so many processes at the same time----------
 *
 * Lines over a Unix socket. N may grow and shrink at any time: a job that has
 * more drains workers (SIGTERM: they lose no work) and reports how many are left
 * as they end. A slot is free when the job reports it or its connection has closed.
 * A job that has lost its broker keeps its slots.
 *
 * TOTRAIN_SLOTS in the supervisor's environment is the socket's path; without
 * it a job has a slot for every worker that it may have.
 */
#pragma once

#include "runtime/loop/loop.h"

struct slots;

/* *slots NULL when there is no broker. `on_slots` is called from the loop. */
enum status slots_open(struct loop *loop, uint64_t job, void (*on_slots)(void *context, uint32_t n),
                       void *context, struct slots **slots, struct error *err);
void slots_say(struct slots *slots, uint32_t wanted, uint32_t used); /* NULL: no broker */
void slots_close(struct slots *slots);                               /* before loop_free */
