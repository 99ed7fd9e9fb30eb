/*
 * picture_command.h - totrain picture: picture.h of a model in a database, or of rows that come.
 *
 *     totrain picture DB MODEL KIND    the rows are those that the model was trained on, or of -c
 *     totrain picture - KIND           rows from standard input, for programs that have them:
 *         {"model": "m", "columns": ["epoch", "train_loss"], "rows": [[1, 0.5], [2, 0.4]]}
 */
#pragma once

/* The exit code. */
int command_picture(int argc, char **argv);
