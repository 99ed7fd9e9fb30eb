/*
 * scale_command.h - another number of workers for a running job.
 */
#ifndef CLI_SCALE_COMMAND_H
#define CLI_SCALE_COMMAND_H

/* totrain scale ID N. Returns the program's exit code. */
int command_scale(int argc, char **argv);

#endif
