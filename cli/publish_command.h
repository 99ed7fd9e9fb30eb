/*
 * publish_command.h - `totrain publish ID`: the model of a job that has learned, and that is not
 * where it was to go, is written after all. `totrain publish FOLDER` is the same as a child of a
 * detached job's supervisor.
 */
#pragma once

#include "cli/session/options.h"

/* argv[0] is the command's own name. The exit code. */
int command_publish(int argc, char **argv);

/* The model of a job of this user into its database; its result rows. */
enum status publish_kept(const struct options *options, int64_t id, struct error *err);
