/*
 * log_folder.h - log.tensorboard -> the folder of the job's event files.
 */
#pragma once

#include "planner/plan/planning.h"

enum status log_folder_plan(struct planning *planning);
