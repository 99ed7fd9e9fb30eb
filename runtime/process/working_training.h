/*
 * working_training.h - the worker (worker.h) as the role that works for a job which trains.
 */
#ifndef RUNTIME_PROCESS_WORKING_TRAINING_H
#define RUNTIME_PROCESS_WORKING_TRAINING_H

#include "runtime/process/working_role.h"

extern const struct working_role training_worker;

#endif
