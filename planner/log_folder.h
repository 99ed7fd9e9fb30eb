/*
 * log_folder.h - log.tensorboard -> the folder of the job's event files.
 */
#ifndef PLANNER_LOG_FOLDER_H
#define PLANNER_LOG_FOLDER_H

#include "planner/planning.h"

enum status log_folder_plan(struct planning *planning);

#endif
