/*
 * working_training.h - the worker (worker.h) as the role that works for a job which trains.
 */
#pragma once

#include "runtime/process/working/working_role.h"

extern const struct working_role training_worker;
