/*
 * tensorboard_folder.h - the folder of TensorBoard's event files, checked before the job starts.
 */
#pragma once

#include "base/error.h"

/* Make the folder of log.tensorboard, and those that it lies in. IO, PERMISSION. */
enum status tensorboard_folder_make(struct slice folder, struct error *err);
