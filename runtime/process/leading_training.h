/*
 * leading_training.h - the master (master.h) as the role that leads a job which trains.
 */
#ifndef RUNTIME_PROCESS_LEADING_TRAINING_H
#define RUNTIME_PROCESS_LEADING_TRAINING_H

#include "runtime/process/leading_role.h"

extern const struct leading_role training_leader;

#endif
