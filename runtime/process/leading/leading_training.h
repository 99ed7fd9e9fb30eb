/*
 * leading_training.h - the master (master.h) as the role that leads a job which trains.
 */
#pragma once

#include "runtime/process/leading/leading_role.h"

extern const struct leading_role training_leader;
